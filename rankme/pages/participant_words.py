"""The words that the rater's scripts say, in the rater's language."""

from __future__ import annotations

from django.utils.translation import gettext as _


def script_words() -> dict[str, str]:
    """By the name under which a script asks for them; {braces} are filled in by the script."""
    return {
        "not_set": _("not yet set"),
        "score": _("score {value}"),
        "beyond": _("{value}, beyond the end of the line"),
        "percent": _("{value} of 100"),
        "missing_slider": _("Please move this slider."),
        "missing_confirm": _("Please move this slider, or tick the box beside it."),
        "missing_score": _("Please give this a score."),
        "missing_choice": _("Please choose an answer."),
        "missing_ticks": _("Please tick what applies."),
        "missing_count": _("Please give a number."),
        "missing_text": _("Please write something."),
        "missing_preference": _("Please choose the better text."),
        "missing_best_worst": _("Please choose the best and the worst text."),
        "missing_attributes": _("Please answer for every fact."),
        "missing_added": _("Please say how many facts the text has beyond these; 0 if none."),
        "better": _("This one is better"),
        "tie": _("Both are equally good"),
        "best": _("best"),
        "worst": _("worst"),
        "mentioned": _("mentioned"),
        "missing": _("missing"),
        "wrong": _("wrong"),
        "wait": _("Please take your time: you can go on in {seconds} s."),
        "bad_number": _("Please write a number from {least} to {most}."),
        "bad_score": _("Please write a number above 0, at most {most}."),
        "too_short": _("Write at least {least} characters."),
        "too_long": _("Write at most {most} characters."),
        "strange_characters": _("These characters are not allowed: {characters}"),
        "characters": _("{count} characters"),
        "text_number": _("Text {number}"),
        "point": _("{number} of {count}"),
        "point_named": _("{number} of {count}: {name}"),
        "picture": _("Picture {number}"),
        "practice": _("Practice {number} of {count}"),
        "progress": _("{number} of {count}"),
        "page_of": _("page {number} of {count}"),
        "minutes_left": _("about {minutes} min left"),
        "minute_left": _("about a minute left"),
        "practice_over": _("That was the practice. Now the real work begins."),
        "feedback": _("About this example"),
        "no_feedback": _(
            "The comment on this example could not be loaded. You can go on without it."
        ),
        "go_on": _("Go on"),
        "next": _("Next"),
        "finish": _("Finish"),
        "missing_some": _("Some answers are missing. They are marked."),
        "wrong_some": _("Some answers cannot be taken as they are. They are marked."),
        "sending": _("Sending your answers…"),
        "unsent_one": _("One answer waits to be sent."),
        "unsent": _("{count} answers wait to be sent."),
        "offline": _(
            "There is no connection at the moment. Your answers are kept on this device and sent "
            "as soon as it is back; you can go on working."
        ),
        "no_storage": _(
            "This browser does not let us keep answers on your device, so each answer is sent "
            "before the next page appears. Please do not close this page while answers are waiting."
        ),
        "waiting_for_server": _("Waiting for the connection. Please keep this page open."),
        "locked": _(
            "This browser no longer remembers who you are. Your answers are kept on this device. "
            "Open your personal link to continue; the answers are then sent."
        ),
        "resume": _("Open your personal link"),
        "conflict": _(
            "One answer had already been stored in another form. The first one stands, and yours "
            "is kept on this device; please tell the organisers."
        ),
        "refused": _("The server could not take an answer: {message}"),
        "break": _("A break"),
        "not_here": _("You answered that page on another device; it cannot be changed here."),
        "break_suggested": _("Time for a break? You can go on whenever you like."),
        "break_enforced": _("Please take a break now. You can go on in {time}."),
        "break_over": _("You can go on now."),
        "answered_elsewhere": _("You have answered this in another window."),
        "overtaken": _("You continued on another device"),
        "overtaken_text": _(
            "You have already answered these pages there, so answers from here no longer count. "
            "Please go on there. If you want to go on here instead, press the button."
        ),
        "go_on_here": _("Go on here"),
        "ready": _("When you are ready, press the button or the space bar."),
        "start": _("Start"),
        "read": _("I have read it"),
        "time_out": _("Time ran out. Here is the next one."),
        "preview_over": _("That was the preview: nothing was stored."),
        "copied": _("Copied"),
        "failed": _("Something went wrong on this page. Please load it again; nothing is lost."),
    }
