"""Marked outputs to test with: every script, every kind of mark."""

from analysis.spans.model import SOURCE, Mark, MarkedOutput, SpanTable

FAMILY = "👩\u200d👩\u200d👧"
TEXTS = {
    "arabic": "ذهب مرحبًا بالعالم إلى البيت.",
    "thai": "กำลังไปโรงเรียนด้วยกัน",
    "emoji": f"👍🏽 The {FAMILY} walks 🇩🇪 home 👍🏽",
    "combining": "Cafe\u0301 is not Café, क्षि neither",
    "crlf": "one\r\ntwo\n\nthree\rfour\n",
    "tabs": "a\tb \\t \\\\ c",
    "tags": "the <v>tag</v> and </v> itself, \\x3cv>",
    "formula": "=SUM(A1:A9)",
    "separators": "a\u2028b\u0085c\x0bd\x1ce",
    "quotes": 'say "so", \'then\'; {"a": 1}',
    "spaces": "  two  spaces  ",
}
SOURCE_TEXT = "A dog 👍 walked\r\nhome."


def mark(text: str, start: int, end: int, **parts: object) -> Mark:
    """A mark whose text is the output's text there."""
    return Mark(start, end, text[start:end], **{"severity": "minor", **parts})


def every_kind(text: str) -> tuple[Mark, ...]:
    """Marks of every kind in one text of at least three characters."""
    last = len(text)
    return (
        mark(text, 0, 1, category="Fluency/Punctuation"),
        mark(text, 1, 3, severity="major", category="Accuracy/Mistranslation", note="why\tnot\n"),
        mark(text, 2, last, time="2026-11-22T02:40:00Z"),
        mark(text, 0, last, severity="Major", category="Style/Awkward"),
        mark(text, last - 1, last, severity=""),
        mark(text, 2, 2, category="Place"),
        mark(text, last, last),
        mark(SOURCE_TEXT, 2, 7, side=SOURCE, category="Accuracy/Omission"),
        mark(SOURCE_TEXT, 5, 17, side=SOURCE, severity="major"),
        Mark(None, None, severity="major", category="Accuracy/Omission", missing=True),
        Mark(None, None, severity="major", category="Non-translation!"),
        mark(text, 0, 1, category="A", note="in two places"),
        mark(text, 2, 3, category="A", continues=True),
        mark(SOURCE_TEXT, 0, 1, side=SOURCE, category="A", continues=True),
        mark(text, 0, 2, extra={"confidence": "high", "words": [1, {"x": None}]}),
    )


def everything() -> SpanTable:
    """Every text and every kind of mark, judged by two raters, in several documents."""
    outputs = []
    for number, (name, text) in enumerate(TEXTS.items()):
        for rater in ("ann", "böb"):
            outputs.append(
                MarkedOutput(
                    rater,
                    f"system {name}",
                    f"item {number}",
                    every_kind(text) if rater == "ann" else (mark(text, 1, 2),) * (number % 2),
                    text,
                    SOURCE_TEXT,
                    f"document {number % 3}",
                    None if number % 2 else 62.5,
                )
            )
    return SpanTable(tuple(outputs))
