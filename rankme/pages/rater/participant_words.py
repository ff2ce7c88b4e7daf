"""The words that the rater's scripts say, in the rater's language.

Scripts ask for them by name, and fill in what is in {braces}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext

from analysis.translatable import gettext_noop as _
from rankme.protocols.definition import Definition
from rankme.protocols.instruments import INSTRUMENTS
from rankme.queries.words import in_plain_text

from .work_files import instruments_of, may_decline, tells_answers

OF_EVERY_PAGE = {
    "wait": _("Please take your time: you can continue in {seconds} s."),
    # Where raters are, and what they look at.
    "text_number": _("Text {number}"),
    "picture": _("Picture {number}"),
    "cells_found": _("Found in {count} cells"),
    "practice": _("Practice {number} of {count}"),
    "progress": _("{number} of {count}"),
    "document": _("Document {number} of {count}"),
    "segment": _("segment {number} of {count}"),
    "segment_number": _("Segment {number} of {count}"),
    "whole_document": _("the whole document"),
    "about_document": _("The whole document"),
    "dialogue": _("Dialogue"),
    "role_user": _("User"),
    "role_assistant": _("Assistant"),
    "role_system": _("Instructions to the assistant"),
    "role_tool": _("Tool"),
    "turn_to_judge": _("to judge"),
    "page_of": _("page {number} of {count}"),
    "minutes_left": _("about {minutes} min left"),
    "minute_left": _("about a minute left"),
    # Practice, and the way through a screen.
    "practice_over": _("That was the practice. Now the real work begins."),
    "feedback": _("About this example"),
    "no_feedback": _(
        "The comment on this example could not be loaded. You can continue without it."
    ),
    "go_on": _("Continue"),
    "next": _("Next"),
    "finish": _("Finish"),
    "missing_some": _("Some answers are missing. They are marked."),
    "wrong_some": _("Some answers need to be corrected. They are marked."),
    "not_copied": _(
        "The texts cannot be copied with the mouse or by touch here. With the keyboard and "
        "assistive technology you can select them as usual."
    ),
    # Answers on their way to the server.
    "sending": _("Sending your answers…"),
    "unsent_one": _("One answer is waiting to be sent."),
    "unsent": _("{count} answers are waiting to be sent."),
    "offline": _(
        "You are offline. Your answers are kept on this device and will be sent as soon as you "
        "are back online. You can keep working."
    ),
    "no_storage": _(
        "This browser cannot keep answers on your device, so each answer is sent "
        "before the next page appears. Please do not close this page while answers are waiting."
    ),
    "waiting_for_server": _("Waiting for the connection. Please keep this page open."),
    "locked": _(
        "This browser no longer remembers who you are. Your answers are kept on this device. "
        "Open your personal link to continue; the answers are then sent."
    ),
    "resume": _("Open your personal link"),
    "conflict": _(
        "One answer had already been stored with different content. The first one counts, and "
        "yours is kept on this device. Please tell the organisers."
    ),
    "refused": _("The server did not accept an answer: {message}"),
    # Breaks.
    "break": _("A break"),
    "not_here": _("You answered that page on another device; it cannot be changed here."),
    "break_suggested": _("Time for a break? You can continue whenever you like."),
    "break_enforced": _("Please take a break now. You can continue in {time}."),
    "break_over": _("You can continue now."),
    # The same rater on another device.
    "answered_elsewhere": _("You have answered this in another window."),
    "overtaken": _("You continued on another device"),
    "overtaken_text": _(
        "You have already answered these pages there, so answers from here no longer count. "
        "Please continue there. To continue here instead, press the button."
    ),
    "go_on_here": _("Continue here"),
    # Devices and timed screens.
    "needs_device": _("This study needs a mouse or a keyboard"),
    "needs_device_text": _(
        "Please continue on a computer. If a keyboard is connected to this device, press one "
        "of its keys."
    ),
    "ready": _("When you are ready, press the button or the space bar."),
    "start": _("Start"),
    "read": _("I have read it"),
    "time_out": _("The time is over. The next one follows."),
    "preview_over": _("That was the preview: nothing was stored."),
    "copied": _("Copied"),
    "failed": _("Something went wrong on this page. Please reload it; nothing is lost."),
}
OF_FILES = {
    "picture_number": _("Picture {number}"),
    "sound_number": _("Sound {number}"),
    "film_number": _("Film {number}"),
    "the_picture": _("Picture to look at"),
    "the_sound": _("Sound to listen to"),
    "the_film": _("Film to watch"),
    "play_to_end": _("Please play it to the end before you go on."),
    "file_failed": _("This file could not be loaded."),
    "load_again": _("Try again"),
}
OF_PRACTICE = {
    "one_try_left": _("You have one try left for this example."),
    "tries_left": _("You have {count} tries left for this example."),
}
SAY_WHY = {"say_why": _("Please say why you cannot judge this.")}
COMPLAINT_KEPT = {"complaint_kept": _("Thank you. Your report goes to the organisers.")}
TRY_AGAIN = {
    "try_again": _("This was not the expected answer. Read the page again, please."),
}


def instrument_words(definition: Definition) -> dict[str, dict[str, str]]:
    """The words of the campaign's instruments, by instrument."""
    return {name: _translated([INSTRUMENTS[name].words]) for name in instruments_of(definition)}


def script_words(definition: Definition) -> dict[str, str]:
    """The words of every page, and of what this campaign shows besides."""
    others = (
        (SAY_WHY, may_decline(definition)),
        (OF_PRACTICE, tells_answers(definition)),
        (COMPLAINT_KEPT, definition.problem_button),
        (TRY_AGAIN, any(check.is_told for check in definition.checks)),
        (OF_FILES, definition.shows_files()),
    )
    return _translated([OF_EVERY_PAGE, *(words for words, is_said in others if is_said)])


@in_plain_text()
def _translated(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {name: gettext(text) for words in tables for name, text in words.items()}
