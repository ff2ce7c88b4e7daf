"""The doctor reads what annotation tools export, written here as their own code writes it.

Reading alone: what is then said of the ratings does not depend on the tool.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from rankme.importing import ImportRefused
from tests.doctor.findings import found_in

TIME = "2026-05-01T09:00:00.000000Z"


def label_studio(ratings: pd.DataFrame, path: Path) -> None:
    """The JSON export: a task has the annotations of all raters, and one that was skipped."""
    tasks = []
    for number, ((item, model), rows) in enumerate(ratings.groupby(["item_id", "model"]), 1):
        given = [
            {"id": 1000 * number + place, "completed_by": {"id": place, "email": row.annotator},
             "was_cancelled": False, "lead_time": 9.5, "created_at": TIME,
             "result": [
                 {"id": "a", "from_name": "quality", "to_name": "text", "type": "rating",
                  "value": {"rating": row.rating}},
                 {"id": "b", "from_name": "error", "to_name": "text", "type": "labels",
                  "value": {"start": 0, "end": 3, "labels": ["wrong"]}},
             ]}
            for place, row in enumerate(rows.itertuples())
        ]  # fmt: skip
        skipped = given[0] | {"was_cancelled": True}
        data = {"text": f"A text of {model}.", "item": item, "system": model}
        task = {"id": number, "annotations": [skipped, *given], "data": data, "meta": {}}
        tasks.append(task | {"file_upload": "tasks.json", "created_at": TIME, "project": 1})
    path.write_text(json.dumps(tasks))


def label_studio_rows(ratings: pd.DataFrame, value: Callable[[int], object]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "annotation_id": range(1, len(ratings) + 1),
            "annotator": ratings["annotator"],
            "created_at": TIME,
            "id": range(500, 500 + len(ratings)),
            "item": ratings["item_id"],
            "lead_time": 9.5,
            "quality": [value(each) for each in ratings["rating"]],
            "system": ratings["model"],
            "text": "A text.",
            "updated_at": TIME,
        }
    )


def pearmut(ratings: pd.DataFrame, path: Path) -> None:
    """The log: a line has all systems of a screen; here, two segments and no marks."""
    texts = {model: f"A text of {model}." for model in ratings["model"].unique()}
    lines = []
    for number, (rater, rows) in enumerate(ratings.groupby("annotator", sort=False)):
        by_item = [(item, each) for item, each in rows.groupby("item_id", sort=False)]
        for screen in zip(by_item[::2], by_item[1::2], strict=True):
            answers = [
                {row.model: {"score": row.rating, "error_spans": [], "textfield": None}
                 for row in each.itertuples()}
                for _, each in screen
            ]  # fmt: skip
            items = [{"item_id": item, "src": "A source.", "tgt": texts} for item, _ in screen]
            log = {"actions": [{"time": 1.5, "action": "load"}], "user_id": rater}
            lines.append(json.dumps({"annotation": answers, "item": items, "item_i": number} | log))
    path.write_text("\n".join(lines))


def appraise(ratings: pd.DataFrame, path: Path, more=(), batches=False) -> None:
    """No headings; checks with damaged outputs, and scores of whole documents, are in it, too.

    `more` is what a task adds before the times, by whether the score is a document's.
    """
    rows = [
        (row.annotator, row.model, row.item_id[1:], kind, "eng", "deu", row.rating,
         *[whole if each == "whole" else each for each in more],
         1588000000.1, 1588000009.3, *((7, 3000 + row.Index) if batches else ()))
        for row in ratings.itertuples()
        for kind, whole in (("TGT", False), ("BAD", False), ("TGT", True))
        if "whole" in more or not whole
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(path, index=False, header=False)


def mechanical_turk(ratings: pd.DataFrame, path: Path) -> None:
    rows = ratings.rename(
        columns={"annotator": "WorkerId", "item_id": "Input.item", "model": "Input.system"}
    )
    rows["Answer.tone"] = rows.pop("rating")
    rows.insert(0, "HITId", range(len(rows)))
    rows.insert(1, "MaxAssignments", 6)
    rows.insert(2, "AssignmentDurationInSeconds", 3600)
    rows.insert(3, "AutoApprovalDelayInSeconds", 259200)
    rows.insert(4, "AssignmentStatus", "Approved")
    rows.insert(5, "WorkTimeInSeconds", range(20, 20 + len(rows)))
    rows.to_csv(path, index=False)


def toloka(ratings: pd.DataFrame, path: Path) -> None:
    """The results of a pool; the last two answers are those of control tasks, too."""
    rows = ratings.rename(
        columns={
            "annotator": "ASSIGNMENT:worker_id",
            "item_id": "INPUT:item",
            "model": "INPUT:system",
        }
    )
    rows["OUTPUT:tone"] = rows.pop("rating")
    rows["GOLDEN:tone"] = [*[""] * (len(rows) - 2), 3, 3]
    rows["ASSIGNMENT:task_id"] = [f"0001--{number}" for number in range(len(rows))]
    rows["ASSIGNMENT:status"], rows["ASSIGNMENT:reward"] = "APPROVED", 0.05
    rows.to_csv(path, index=False, sep="\t")


def mechanical_turk_form(ratings: pd.DataFrame, path: Path) -> None:
    """A `<crowd-form>`: all answers are in one cell, and a button says whether it was chosen."""
    mechanical_turk(ratings, path)
    rows = pd.read_csv(path)
    rows["Answer.taskAnswers"] = [
        json.dumps([{"tone": {str(point): point == chosen for point in range(1, 6)}, "note": ""}])
        for chosen in rows.pop("Answer.tone")
    ]
    rows.to_csv(path, index=False)


def mechanical_turk_buttons(ratings: pd.DataFrame, path: Path) -> None:
    """A column for each option of a question."""
    mechanical_turk(ratings, path)
    rows = pd.read_csv(path)
    chosen = rows.pop("Answer.tone")
    for point in range(1, 6):
        rows[f"Answer.tone.{point}"] = (chosen == point).map({True: "true", False: "false"})
    rows["Approve"] = ""
    rows.to_csv(path, index=False)


def potato(ratings: pd.DataFrame, path: Path, point_names="tone.{}") -> None:
    """A column for each point of the scale, of which one is filled; the model was added."""
    rows = pd.DataFrame({"instance_id": ratings["item_id"], "user_id": ratings["annotator"]})
    for point in (3, 1, 5, 2, 4):  # in the order in which they were first chosen
        chosen = [str(point) if each == point else "" for each in ratings["rating"]]
        rows[point_names.format(point)] = chosen
    rows.assign(model=ratings["model"]).to_csv(path, index=False)


def jspsych(ratings: pd.DataFrame, path: Path) -> None:
    rows = ratings.set_axis(["participant_id", "item", "system", "response"], axis=1)
    rows.insert(0, "rt", range(900, 900 + len(rows)))
    rows.insert(1, "trial_index", range(len(rows)))
    rows.insert(2, "time_elapsed", range(0, 1000 * len(rows), 1000))
    rows.to_csv(path, index=False)


def psychopy(ratings: pd.DataFrame, path: Path) -> None:
    """With the columns of its loops, times and machine, and a separator at the end of each line."""
    names = ["participant", "stimulus", "condition", "slider.response"]
    rows = ratings.set_axis(names, axis=1)
    count = range(len(rows))
    loop = {"trials.thisRepN": 0, "trials.thisTrialN": count, "trials.thisN": count}
    times = {"thisRow.t": 12.5, "slider.started": 13.25, "slider.stopped": "None"}
    machine = {"session": 1, "expName": "rating", "psychopyVersion": "2024.2.4", "frameRate": 59.9}
    more = {**loop, "trials.thisIndex": count, **times, "slider.rt": 1.25, **machine, "": ""}
    rows.assign(**more).to_csv(path, index=False)


def jspsych_pages(ratings: pd.DataFrame, path: Path) -> None:
    """Pages of `survey-likert`: their answers are an object; other trials have none, or a key."""
    jspsych(ratings, path)
    rows = pd.read_csv(path)
    rows["response"] = [f'{{"tone":{each}}}' for each in rows["response"]]
    rows["trial_type"] = "survey-likert"
    key = rows.assign(response="f", trial_type="html-keyboard-response")
    text = rows.assign(response="{so to speak}", trial_type="cloze")
    pd.concat([key.head(3), text.head(1), rows]).to_csv(path, index=False)


def argilla(ratings: pd.DataFrame, flat: bool = False) -> list[dict]:
    """Records as `records.to_json` and `records.to_list(flatten=True)` of version 2.8 make them."""
    found = []
    for (item, model), rows in ratings.groupby(["item_id", "model"]):
        users, values = list(rows["annotator"]), list(rows["rating"])
        record = {"id": f"{item}-{model}", "status": "completed", "_server_id": None}
        metadata = {"item_id": item, "model": model}
        fields = {"prompt": f"Say {item}.", "response": f"{model} says {item}."}
        if flat:
            answers = {
                "tone.responses": [*values, 1], "tone.responses.users": [*users, "unsure"],
                "tone.responses.status": [*["submitted"] * len(users), "discarded"],
                "tone.suggestion": 3, "tone.suggestion.score": None, "tone.suggestion.agent": "gpt",
            }  # fmt: skip
            found.append({**record, **fields, **metadata, **answers})
        else:
            pairs = zip(values, users, strict=True)
            responses = {"tone": [{"value": value, "user_id": user} for value, user in pairs]}
            responses["why"] = [{"value": "Because.", "user_id": users[0]}]
            nested = {"fields": fields, "metadata": metadata, "suggestions": {}, "vectors": {}}
            found.append({**record, **nested, "responses": responses})
    return found


def through_a_workbook(
    write: Callable[[pd.DataFrame, Path], None], ratings: pd.DataFrame, path: Path
) -> None:
    """As somebody does who opens the file in a spreadsheet and saves it."""
    write(ratings, path.with_suffix(".csv"))
    pd.read_csv(path.with_suffix(".csv")).to_excel(path, index=False)


EXPORTS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "label_studio.json": label_studio,
    # `label_studio_sdk.converter` of version 2.1 writes no space; others may.
    "label_studio.csv": lambda table, path: label_studio_rows(
        table, lambda value: json.dumps([{"rating": value}], separators=(",", ":"))
    ).to_csv(path, index=False),
    "label_studio_with_spaces.csv": lambda table, path: label_studio_rows(
        table, lambda value: json.dumps([{"rating": value}])
    ).to_csv(path, index=False),
    "label_studio_choices.csv": lambda table, path: label_studio_rows(table, str).to_csv(
        path, index=False
    ),
    "label_studio_min.json": lambda table, path: label_studio_rows(
        table, lambda value: [{"rating": value}]
    ).to_json(path, orient="records"),
    "appraise_sentences.csv": appraise,
    "appraise_documents.csv": partial(appraise, more=("news.1", "whole")),
    "appraise_documents_batches.csv": partial(appraise, more=("news.1", "whole"), batches=True),
    "appraise_sentences_batches.csv": partial(appraise, batches=True),
    "appraise_pairs.csv": partial(appraise, more=("serious-semantic-error1", "None")),
    "appraise_without_marks.csv": partial(appraise, more=("news.1", "whole", "[]")),
    "mechanical_turk.csv": mechanical_turk,
    "toloka.tsv": toloka,
    "mechanical_turk_form.csv": mechanical_turk_form,
    "mechanical_turk_buttons.csv": mechanical_turk_buttons,
    "potato.csv": potato,
    "potato_until_2025.csv": partial(potato, point_names="tone.scale_{}"),
    "potato.xlsx": lambda table, path: through_a_workbook(potato, table, path),
    "mechanical_turk_buttons.xlsx": lambda table, path: through_a_workbook(
        mechanical_turk_buttons, table, path
    ),
    "jspsych.csv": jspsych,
    "psychopy.csv": psychopy,
    "jspsych_pages.csv": jspsych_pages,
    "jspsych_pages.json": lambda table, path: path.write_text(
        json.dumps(
            [
                {
                    "trial_type": "survey-likert",
                    "trial_index": number,
                    "response": {"tone": row.rating},
                    "rt": 900,
                    "participant_id": row.annotator,
                    "item": row.item_id,
                    "system": row.model,
                }
                for number, row in enumerate(table.itertuples())
            ]
        )
    ),
    "argilla.json": lambda table, path: path.write_text(json.dumps(argilla(table))),
    "argilla_flat.jsonl": lambda table, path: path.write_text(
        "\n".join(map(json.dumps, argilla(table, flat=True)))
    ),
}


def test_appraise_counts_segments_in_each_document(ratings, tmp_path):
    """The same rater sees segment 0 of each document, and document 2 of each system twice."""
    one, two, again = (tmp_path / name for name in ("one.csv", "two.csv", "again.csv"))
    appraise(ratings, one, more=("news.1", "whole"))
    appraise(ratings, two, more=("news.2", "whole"))
    appraise(ratings.assign(rating=1), again, more=("news.2", "whole"))
    path = tmp_path / "scores.csv"
    path.write_text("".join(each.read_text() for each in (one, two, again)))
    assert found_in(path).sizes == (432, 6, 16, 3, 1)


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_annotation_tools_are_read_as_they_are(name, ratings, tmp_path):
    """One criterion: numbers of annotations and seconds are not values."""
    path = tmp_path / name
    EXPORTS[name](ratings, path)
    found = found_in(path)
    assert found.sizes == (144, 6, 8, 3, 1)
    (means,) = found.means.values()
    assert means == pytest.approx(dict(ratings.groupby("model")["rating"].mean()))


def test_answers_of_a_crowd_form_are_numbers_options_and_labels(ratings, tmp_path):
    path = tmp_path / "results.csv"
    mechanical_turk(ratings, path)
    rows = pd.read_csv(path)
    points = rows.pop("Answer.tone")
    rows["Answer.taskAnswers"] = [
        json.dumps([{"slider": float(each), "buttons": {"2": each < 3, "4": each >= 3},
                     "kind": {"label": str(each)}, "agreed": {"on": True}, "why": "Because."}])
        for each in points
    ]  # fmt: skip
    rows.to_csv(path, index=False)
    found = found_in(path).means
    assert set(found) == {"slider", "buttons", "kind"}
    means = dict(points.groupby(rows["Input.system"]).mean())
    assert found["slider"] == found["kind"] == pytest.approx(means)


def test_questions_that_come_late_are_left_out_with_a_note(ratings, tmp_path):
    """As after the sitting, on a page about the rater."""
    path = tmp_path / "jspsych.csv"
    jspsych_pages(ratings, path)
    rows = pd.read_csv(path)
    about = rows.tail(1).assign(response='{"age":40,"languages":2}')
    pd.concat([rows, about]).to_csv(path, index=False)
    found = found_in(path)
    assert set(found.means) == {"tone"}
    assert "because the first rows do not have them: age, languages." in found.notes


def test_a_column_of_one_value_is_pointed_at(ratings, tmp_path):
    path = tmp_path / "results.csv"
    ratings.assign(slider_from=50).to_csv(path, index=False)
    assert 'All 144 values of "slider_from" are 50.' in found_in(path).notes


def test_an_answer_that_is_not_json_is_refused_with_its_line(ratings, tmp_path):
    path = tmp_path / "results.csv"
    mechanical_turk_form(ratings, path)
    rows = pd.read_csv(path)
    rows.loc[60, "Answer.taskAnswers"] = "[{"
    rows.to_csv(path, index=False)
    with pytest.raises(ImportRefused) as refused:
        found_in(path)
    assert "line 62: The answers cannot be read" in str(refused.value)


def test_a_text_that_differs_within_an_item_is_the_output(ratings, tmp_path):
    """Mechanical Turk calls whatever the rater saw an input."""
    path = tmp_path / "results.csv"
    mechanical_turk(ratings, path)
    rows = pd.read_csv(path)
    rows["Input.text"] = [
        f"What {row.system} wrote about {row.item}, in so many words."
        for row in rows.rename(columns=lambda name: name.removeprefix("Input.")).itertuples()
    ]
    rows.to_csv(path, index=False)
    assert '"Input.text" is the output' in found_in(path).notes


def test_the_input_names_the_item_where_the_item_is_a_single_output(ratings, tmp_path):
    """An Argilla record is an output. Without an item's name in the metadata, the prompt is one."""
    records = argilla(ratings)
    for record in records:
        del record["metadata"]["item_id"]
    path = tmp_path / "argilla.json"
    path.write_text(json.dumps(records))
    assert found_in(path).sizes == (144, 6, 8, 3, 1)


def test_the_log_of_pearmut_has_scores_and_marks(ratings, tmp_path):
    path = tmp_path / "pearmut.jsonl"
    pearmut(ratings, path)
    (scores,) = [means for name, means in found_in(path).means.items() if "score" in name]
    assert scores == pytest.approx(dict(ratings.groupby("model")["rating"].mean()))


def test_several_ratings_of_a_potato_record_are_criteria_of_their_own(tmp_path):
    """`multirate`, a slider and a choice, as `potato.export` of version 2.8 writes them."""
    labels = {
        "tone": {"3": "3"}, "fluency": {"fluency": "24"}, "kind": {"good": "good"},
        "aspects": {"grammar": "3", "style": "2"}, "why": {"text_box": "Because."},
    }  # fmt: skip
    lines = [
        {"instance_id": f"i{item}", "user_id": rater, "labels": labels, "spans": {}, "links": {}}
        for item in range(4)
        for rater in ("ann", "bob")
    ]
    path = tmp_path / "gpt.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = {name: means["gpt"] for name, means in found_in(path).means.items()}
    assert found == {"tone": 3, "fluency": 24, "aspects.grammar": 3, "aspects.style": 2}


def test_columns_of_two_raters_are_not_options_of_a_question(tmp_path):
    """Each rater gives each output the number of their own column, but for one at the end."""
    rows = [(f"i{item}", system, 1, 2) for item in range(2000) for system in "AB"]
    path = tmp_path / "ratings.csv"
    table = pd.DataFrame([*rows, ("i9", "C", 2, 1)])
    table.to_csv(path, index=False, header=["item", "system", "fluency.1", "fluency.2"])
    assert found_in(path).sizes[0] == 8_002


def test_an_export_that_names_no_system_says_that_there_is_one(ratings, tmp_path):
    """Potato's JSON lines know items and raters alone."""
    path = tmp_path / "potato.jsonl"
    lines = [
        {"instance_id": row.item_id, "user_id": row.annotator, "spans": {}, "links": {},
         "labels": {"tone": {f"scale_{row.rating}": str(row.rating)}}}
        for row in ratings[ratings["model"] == "Birch"].itertuples()
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    found = found_in(path)
    assert found.sizes == (48, 6, 8, 1, 1)
    assert "no column names the system" in found.notes and 'add a column "system"' in found.notes


def test_what_only_resembles_such_an_export_stays_as_it_is(ratings, tmp_path):
    path = tmp_path / "records.jsonl"
    rows = ratings.assign(annotations=3, data="A text that all share.")
    rows.to_json(path, orient="records", lines=True)
    assert found_in(path).sizes[3] == 3


@pytest.mark.parametrize(
    "odd",
    [
        {"fields": {}, "responses": {"tone": "x"}, "suggestions": {}},
        {"fields": {}, "responses": {"tone": [1, {"value": [1]}]}, "suggestions": {}},
        {"id": "1", "tone.responses": [1], "tone.responses.users": 5},
        {"id": "1", "tone.responses": "x", "tone.responses.users": ["ann"]},
        {"instance_id": "1", "user_id": "ann", "labels": {"tone": {"3": {"deep": 1}}}},
        {"trial_type": "survey-likert", "trial_index": 1, "response": {"tone": [1]}},
        {"data": {}, "annotations": [None, {"result": "x"}, {"result": [{"value": 3}]}]},
    ],
)
def test_an_odd_record_is_refused_in_words_or_left_out(odd, ratings, tmp_path):
    rows = [{"rater": row.annotator, "item": row.item_id, "system": row.model, "tone": row.rating}
            for row in ratings.itertuples()]  # fmt: skip
    path = tmp_path / "records.jsonl"
    for records in ([odd], [odd, *rows], [*rows, odd]):
        path.write_text("\n".join(map(json.dumps, records)))
        try:
            found = found_in(path)
        except ImportRefused:
            continue
        assert found.sizes[0] == 144
