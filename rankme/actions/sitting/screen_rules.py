"""The rules that a sent screen must keep. Each lists its problems; the first that has any decides.

Stored screens stay and count: a rule refuses only the one that was just sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from rankme.errors import InvalidAnswer, Problem, TooManySubmissions
from rankme.models import MediaFile, Output, Submission, SubmissionWords
from rankme.protocols.answers import Reading
from rankme.protocols.instruments.spans import is_open
from rankme.protocols.option_order import option_orders, order_problems
from rankme.protocols.playing import PlayableFile, unplayed
from rankme.queries.documents import is_last_segment

from .presentations import option_seed
from .sent_screens import ShownScreen

# Bytes of a screen without its comment and the texts that its questions ask for; real ones have
# about one thousand. The page's scripts bound what they log with this in mind.
LARGEST_SCREEN = 20_000
# As the page's text area has it; a comment in Chinese or Hindi has three bytes for each character.
LONGEST_COMMENT = 5_000
# Limits that no person reaches: they keep scripts from filling the disk with undeletable rows.
MOST_REVISIONS = 100
MOST_IN_A_MINUTE = 600
# What a second browser may use of both: the rater's own must never find them used up.
SHARE_OF_A_SECOND_BROWSER = 0.1

Rule = Callable[[ShownScreen], Iterable[Problem]]
Marks = Sequence[Mapping[str, Any]]


def refuse_by_rules(shown: ShownScreen) -> None:
    """Check a sent screen, and fill `shown.readings` with the checked values.

    Raises
    ------
    InvalidAnswer : with the problems of the first rule that finds any
    TooManySubmissions : the sitting has sent hundreds of screens within a minute
    """
    for rule in RULES:
        if problems := list(rule(shown)):
            raise InvalidAnswer(problems)


def too_often(shown: ShownScreen) -> Iterator[Problem]:
    share = SHARE_OF_A_SECOND_BROWSER if shown.is_second_browser else 1
    if shown.sitting.lately >= MOST_IN_A_MINUTE * share:
        raise TooManySubmissions
    most = int(MOST_REVISIONS * share)
    if max((found.revision for found in shown.of_this_screen), default=0) >= most:
        message = _(
            "You have changed your answer to this page %d times, and this is the limit. "
            "The previous answer counts."
        )
        yield Problem("", message % most)


def unknown_screen(shown: ShownScreen) -> Iterator[Problem]:
    if shown.sent.screen >= len(shown.definition.screens):
        yield Problem("screen", "is not in this campaign")


def too_long(shown: ShownScreen) -> Iterator[Problem]:
    """Compare with the most that the screen can ask for; a character has at most four bytes."""
    characters = sum(
        criterion.tool.most_characters(criterion.settings)
        * (shown.material.outputs if criterion.about == "output" else 1)
        for criterion in shown.questions
    )
    if len(shown.sent.comment) <= LONGEST_COMMENT:
        characters += len(shown.sent.comment)
    is_long = len(shown.sent.payload) > LARGEST_SCREEN + 4 * characters
    # What long answers may take is not for the clock.
    if is_long or shown.sent.bytes_of_times > LARGEST_SCREEN:
        yield Problem("", _("This answer is too long."))


def asked_too_early(shown: ShownScreen) -> Iterator[Problem]:
    if shown.spec.scope == "document" and not is_last_segment(shown.trial):
        yield Problem("screen", "is asked after the last segment of a document")


def invalid_answers(shown: ShownScreen) -> Iterable[Problem]:
    """Read the answers; `InvalidAnswer` lists all that the instruments do not allow."""
    shown.readings = shown.material.read(
        shown.definition, shown.sent.screen, shown.sent.answers, texts=shown.texts()
    )
    return ()


def other_orders(shown: ShownScreen) -> Iterable[Problem]:
    """Choices must have been answered in the order that was drawn for this rater."""
    seed = option_seed(shown.assignment, shown.trial_id)
    return order_problems(shown.sent.answers, option_orders(shown.questions, seed))


def invented_suggestions(shown: ShownScreen) -> Iterable[Problem]:
    """Find marks that claim a source which suggested nothing like them, and suggestions that are
    still open where each is to be decided.

    How raters treat suggestions is a result of its own, so nobody may make some up. A mark that is
    not confirmed is still as it was suggested. Answers without suggestions need no query.
    """
    marking = {criterion.name for criterion in shown.questions if criterion.tool.marks_outputs}
    claimed = [
        (answer, mark)
        for answer in shown.sent.answers
        if answer["criterion"] in marking and "value" in answer
        for mark in answer["value"]["marks"]
        if "prefilled" in mark
    ]
    if not claimed:
        return ()
    suggested = list(_suggested(shown))
    invented = [
        Problem(f"{answer['criterion']}[{answer['place']}]", "this mark was not suggested here")
        for answer, mark in claimed
        if not _is_one_of(mark, suggested[answer["place"]])
    ]
    return (invented or list(_undecided(shown, claimed)))[:1]


def _suggested(shown: ShownScreen) -> Iterator[Marks]:
    """The suggestions for each output of the screen; none where they were held out."""
    if shown.trial_id in shown.assignment.held_out:
        yield from (() for _place in shown.order)
        return
    if shown.material.is_check:
        stored = shown.trial.as_check.shown.get("marks") or {}
        yield from (stored[place] if stored else () for place in shown.order)
        return
    marks = dict(Output.objects.filter(pk__in=shown.outputs).values_list("pk", "marks"))
    yield from (marks[output] or () for output in shown.outputs)


def _is_one_of(mark: Mapping[str, Any], suggested: Marks) -> bool:
    for original in suggested:
        if (original["id"], original["prefilled"]) == (mark["id"], mark["prefilled"]):
            start_and_end = original["start"], original["end"]
            is_moved = start_and_end != (mark.get("start"), mark.get("end"))
            return mark.get("confirmed") is True or not is_moved
    return False


def _undecided(
    shown: ShownScreen, claimed: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> Iterator[Problem]:
    """List answers with untouched suggestions, where the campaign asks about each.

    Only new answers are asked about: those from before the question are read again as they are.
    """
    still_open = Counter(
        (answer["criterion"], answer["place"]) for answer, mark in claimed if is_open(mark)
    )
    for (name, place), count in still_open.items():
        criterion = shown.definition.criterion(name)
        if getattr(criterion.settings, "unconfirmed", "") == "ask":
            words = _(criterion.tool.words["open_suggestions"]).format(count=count)
            yield Problem(f"{name}[{place}]", words)


def repeated_texts(shown: ShownScreen) -> Iterator[Problem]:
    """Find texts that must be new but repeat the same rater's text for another trial."""
    unique = {
        criterion.name
        for criterion in shown.definition.criteria
        if criterion.tool.refuses_repeats(criterion.settings)
    }
    for reading in shown.readings:
        if reading.criterion not in unique or reading.cannot_judge is not None:
            continue
        if _has_written(shown, reading):
            message = "You have written this text before. Please write a new one."
            yield Problem(reading.criterion, message)


def _has_written(shown: ShownScreen, reading: Reading) -> bool:
    """Whether this rater gave the same text for another trial."""
    mine = Submission.objects.filter(
        assignment__participant=shown.assignment.participant_id
    ).exclude(trial=shown.trial_id)
    if reading.criterion not in shown.definition.personal_texts:
        return mine.filter(
            judgements__criterion=shown.frozen.criteria[reading.criterion],
            judgements__text__iexact=reading.text,
        ).exists()
    kept = SubmissionWords.objects.filter(submission__in=mine).values_list("words", flat=True)
    written = (
        word for words in kept for word in words if word.get("criterion") == reading.criterion
    )
    return any(str(word["text"]).strip().lower() == reading.text.lower() for word in written)


def not_played(shown: ShownScreen) -> Iterator[Problem]:
    """Sounds and films must be played to the end where the screen demands it, by the browser's own
    log. Screens that demand nothing cost nothing.
    """
    demanding = {block.block for block in shown.spec.show if block.play_to_end}
    if not demanding or shown.material.is_check:
        return
    media: list[tuple[int | None, MediaFile | None]] = []
    if "input" in demanding:
        media.append((None, shown.trial.item.media))
    if "outputs" in demanding:
        outputs = Output.objects.select_related("media").in_bulk(shown.outputs)
        media += [(place, outputs[output].media) for place, output in enumerate(shown.outputs)]
    files = [
        PlayableFile(place, file.seconds)
        for place, file in media
        if file is not None and file.kind != MediaFile.Kind.PICTURE
    ]
    if unplayed(files, shown.sent.times.files):
        yield Problem("", _("Please play it to the end before you go on."))


RULES: tuple[Rule, ...] = (
    too_often,
    unknown_screen,
    too_long,
    asked_too_early,
    invalid_answers,
    other_orders,  # this one and the next read answers that are valid
    invented_suggestions,
    repeated_texts,
    not_played,
)
