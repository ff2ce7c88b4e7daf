"""Whether a rater has played the sounds and films of a screen that must be played to the end."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from rankme.errors import InvalidAnswer, Problem
from rankme.models import MediaFile, Output, Trial
from rankme.protocols.playing import PlayableFile, PlayLog, logs_by_place, unplayed
from rankme.protocols.screens import ScreenSpec
from rankme.protocols.sent_screen import SentScreen

Kind = MediaFile.Kind


def refuse_unplayed(
    screen: ScreenSpec, sent: SentScreen, trial: Trial, outputs: Sequence[int | None]
) -> None:
    """`outputs` are those of the trial as the rater sees them. Screens that demand nothing cost
    nothing.

    Raises
    ------
    InvalidAnswer : the browser's own log says that a file was not played to the end
    """
    demanding = {block.block for block in screen.show if block.play_to_end}
    if not demanding:
        return
    files = []
    if "input" in demanding and (media := trial.item.media) and media.kind != Kind.PICTURE:
        files.append(PlayableFile(None, media.seconds))
    if "outputs" in demanding:
        shown = Output.objects.select_related("media").in_bulk(
            [output for output in outputs if output is not None]
        )
        for place, output in enumerate(outputs):
            media = shown[output].media if output is not None else None
            if media is not None and media.kind != Kind.PICTURE:
                files.append(PlayableFile(place, media.seconds))
    if unplayed(files, logs_by_place(sent.document.get("times"))):
        raise InvalidAnswer([Problem("", _("Please play it to the end before you go on."))])


def failed_to_load(sent: SentScreen) -> bool:
    """Whether the rater's browser could not load a file, at least for a time."""
    logs: dict[int | None, PlayLog] = logs_by_place(sent.document.get("times"))
    return any(log.failed for log in logs.values())
