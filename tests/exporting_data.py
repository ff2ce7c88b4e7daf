"""What an organiser decides before a data set is published."""

DECIDED = {
    "licence": "1",
    "creators": "Lovelace, Ada\nThe Lab",
    "contents": "1",
    "proficiency": "All raters speak the language",
}
