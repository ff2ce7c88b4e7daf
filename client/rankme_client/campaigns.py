"""A campaign as a handle: everything that its organiser can do from a script."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .connection import Connection, Document, quoted
from .errors import ApiError, JobFailed, StillWaiting
from .frames import csv_of, frame_of
from .reports import Report

OVER = ("closed", "published")
NOT_FOUND = 404
LAUNCH_POLL_SECONDS = 2.0


@dataclass(frozen=True)
class Progress:
    """How much of the planned work is done."""

    state: str
    batches: int
    batches_done: int
    screens: int
    screens_done: int

    @property
    def is_done(self) -> bool:
        """Whether every planned batch is done, or the collection was closed."""
        return self.state in OVER or self.batches_done >= self.batches

    def __str__(self) -> str:
        return (
            f"{self.batches_done} of {self.batches} batches and {self.screens_done} of "
            f"{self.screens} screens are done"
        )


class Campaign:
    """A campaign on a site. Nothing is kept here but its code, so that any script can go on."""

    def __init__(self, site: Connection, code: str) -> None:
        self.site, self.code = site, code
        self.path = f"campaigns/{quoted(code)}/"
        self._analysed: tuple[int, Report] | None = None

    def __repr__(self) -> str:
        return f"<Campaign {self.code} on {self.site.url}>"

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"{self.site.url}/{self.path}"

    # --- Definition and state ---------------------------------------------------------------

    def read(self) -> Document:
        """Title, state, version, dates and definition."""
        found: Document = self.site.get(self.path)
        return found

    @property
    def state(self) -> str:
        return str(self.read()["state"])

    def file(self) -> str:
        """The campaign file in YAML, which creates the same campaign again."""
        return self.site.call("GET", f"{self.path}file/").text

    def change(self, definition: str | Mapping[str, Any]) -> None:
        """Replace a draft's definition by a campaign file, as YAML or as a document."""
        if isinstance(definition, str):
            kind = {"Content-Type": "application/yaml"}
            self.site.call("PUT", self.path, content=definition.encode(), headers=kind)
        else:
            self.site.send("PUT", self.path, {"definition": dict(definition)})

    def pause(self) -> None:
        """Stop handing out batches."""
        self.site.send("POST", f"{self.path}pause/")

    def resume(self) -> None:
        """Hand out batches again."""
        self.site.send("POST", f"{self.path}resume/")

    def close(self) -> None:
        """End the collection."""
        self.site.send("POST", f"{self.path}close/")

    def delete(self) -> None:
        """Delete a draft. For one that was launched, see `ask_to_delete`."""
        self.site.send("DELETE", self.path)

    # --- Material ---------------------------------------------------------------------------

    def upload(
        self,
        frame: pd.DataFrame | Mapping[str, bytes],
        *,
        kind: str = "outputs",
        columns: Mapping[str, Any] | None = None,
        take: bool = True,
        timeout: float = 600.0,
        **options: Any,
    ) -> Document:
        """Upload a table, or files by their names; what the site found in them.

        Parameters
        ----------
        kind : outputs, judgements (of an archive) or scores
        columns : what the columns mean, as `{"tables": [{"columns": {"system": "model", "item":
            "id", "output": "answer"}}]}`; by default what the site proposes
        take : import what was found; otherwise `take_upload` does it
        options : of the upload, such as `is_judge` or `lower_is_better` for scores

        Raises
        ------
        JobFailed : with every problem of the files
        """
        files = {"table.csv": csv_of(frame)} if isinstance(frame, pd.DataFrame) else frame
        fields: dict[str, Any] = {"kind": kind} | options
        if columns is not None:
            fields["columns"] = json.dumps(dict(columns))
        parts = [("files", (name, content)) for name, content in files.items()]
        number = self.site.call("POST", f"{self.path}imports/", data=fields, files=parts).json()[
            "id"
        ]
        row = self._checked_upload(number, timeout)
        if take:
            row = self.take_upload(number, timeout=timeout)
        return row

    def _checked_upload(self, number: int, timeout: float) -> Document:
        path = f"{self.path}imports/{number}/"
        try:
            row = self.site.wait_for_job(path, timeout=timeout)
        except JobFailed:
            row = self.site.get(path)
            if not row["problems"]:
                raise
        if row["problems"]:
            listed = "\n".join(f"- {_problem(each)}" for each in row["problems"][:20])
            count = len(row["problems"])
            raise JobFailed(f"The upload has {count} problems; nothing was imported.\n{listed}")
        if row["phase"] == "columns":
            raise JobFailed("Say with `columns` what the columns of the table are.")
        return row

    def take_upload(self, number: int, *, timeout: float = 600.0) -> Document:
        """Import an upload that was looked at; it replaces the current material."""
        self.site.send("POST", f"{self.path}imports/{number}/take/")
        return self.site.wait_for_job(f"{self.path}imports/{number}/", timeout=timeout)

    def uploads(self) -> list[Document]:
        """All uploads, newest first."""
        return list(self.site.pages(f"{self.path}imports/"))

    # --- Plan and launch --------------------------------------------------------------------

    def plan(self, raters: int | None = None) -> Document:
        """What a launch of this draft would need: batches, raters, minutes, money."""
        found: Document = self.site.get(f"{self.path}plan/", raters=raters)
        return found

    def fit(self, raters: int) -> Document:
        """Let each rater do as many batches as so few raters need."""
        found: Document = self.site.send("POST", f"{self.path}plan/", {"raters": raters})
        return found

    def outline(self) -> Document:
        """What raters see, page by page, as text."""
        found: Document = self.site.get(f"{self.path}outline/")
        return found

    def rehearse(self, *, timeout: float = 900.0) -> list[str]:
        """Let simulated raters play this draft to its report; the addresses of its pages.

        The site keeps the pages for an hour and stores nothing of them in the record.
        """
        path = f"{self.path}tryout/"
        self.site.send("POST", path)
        end = time.monotonic() + timeout
        while (state := self.site.get(path))["status"] == "working":
            if time.monotonic() > end:
                raise StillWaiting(f"After {timeout:g} s the rehearsal is not over.")
            self.site.sleep(LAUNCH_POLL_SECONDS)
        if state["status"] != "done":
            raise JobFailed(state.get("error") or "The rehearsal was lost. Try again.")
        return [f"{self.page}try/pages/{name}" for name in state["pages"]]

    def launch(self, *, timeout: float = 3600.0) -> Document:
        """Freeze the material and open the campaign to raters; the plan, and the links."""
        launched: Document = self.site.send("POST", f"{self.path}launch/")
        end = time.monotonic() + timeout
        while launched["state"] == "draft" and self.state == "draft":
            if time.monotonic() > end:
                raise StillWaiting(f"After {timeout:g} s the plan is not stored.")
            self.site.sleep(LAUNCH_POLL_SECONDS)
        return launched

    def links(self) -> Document:
        """The open link and the panel's link."""
        found: Document = self.site.get(f"{self.path}links/")
        return found

    def invite(
        self, names: Sequence[str] = (), *, unnamed: int = 0, on_pages: bool = False
    ) -> pd.DataFrame:
        """Create personal links for these names, except for those that have one.

        `on_pages` adds them to the pages of all their work that raters of these names have.
        """
        there = {row["name"] for row in self.site.pages(f"{self.path}links/personal/")}
        missing = [name for name in names if name not in there]
        if missing or unnamed:
            wanted = {"names": missing, "unnamed": unnamed, "on_pages": on_pages}
            self.site.send("POST", f"{self.path}links/personal/", wanted)
        return self.invitations()

    def invitations(self) -> pd.DataFrame:
        """The personal links with their names, and whether an address is kept with them."""
        return self._frame("links/personal/")

    def mail_link(self, link: int, address: str, *, keep: bool = False) -> None:
        """Send a personal link by mail, by its `id` in `invitations()`.

        `keep` stores the address, encrypted, for `remind`; without it, a kept one is forgotten.
        """
        document = {"mail": address, "keep": keep}
        self.site.send("POST", f"{self.path}links/personal/{link}/mail/", document)

    def forget_address(self, link: int) -> None:
        """Forget the address that is kept with a personal link, so that nobody is reminded."""
        self.site.send("DELETE", f"{self.path}links/personal/{link}/mail/")

    def to_remind(self) -> int:
        """How many people `remind` would send a mail to now."""
        return int(self.site.get(f"{self.path}links/reminders/")["number"])

    def remind(self) -> int:
        """Send one mail to everybody whose address is kept and for whom work waits; how many.

        Raises
        ------
        ApiError : there is nobody to remind now, or the site sends no mail
        """
        return int(self.site.send("POST", f"{self.path}links/reminders/")["number"])

    def make_work_page(self, link: int) -> str:
        """Make the lasting link to all work of a rater, by the `id` of a personal link.

        It takes the place of an earlier one. Only this answer has it.
        """
        path = f"{self.path}links/personal/{link}/work-page/"
        return str(self.site.send("POST", path)["link"])

    def revoke_work_page(self, link: int) -> None:
        """End a rater's lasting link in all campaigns; personal links go on."""
        self.site.send("DELETE", f"{self.path}links/personal/{link}/work-page/")

    # --- While raters work ------------------------------------------------------------------

    def looks(self) -> Document:
        """How this campaign may be looked at while it runs, and what each look saw."""
        found: Document = self.site.get(f"{self.path}looks/")
        return found

    def look(self, *, timeout: float = 600.0) -> Document:
        """Ask for the next planned look, and wait for what it saw.

        Raises
        ------
        ApiError : the plan has no look now; the message says why
        JobFailed : the look could not be computed
        StillWaiting : the time is over; `looks()` has it later
        """
        known = len(self.looks()["looks"])
        self.site.send("POST", f"{self.path}looks/")
        end = time.monotonic() + timeout
        while len((found := self.looks())["looks"]) == known:
            if (request := found["request"]) and request["state"] == "failed":
                raise JobFailed(request["error"])
            if time.monotonic() > end:
                raise StillWaiting(f"After {timeout:g} s the look is not computed.")
            self.site.sleep(LAUNCH_POLL_SECONDS)
        newest: Document = found["looks"][0]
        return newest

    def progress(self) -> Progress:
        found = self.site.get(f"{self.path}progress/")
        counted = ("batches", "batches_done", "screens", "screens_done")
        return Progress(self.state, **{name: found[name] for name in counted})

    def wait(
        self,
        timeout: float | None = None,
        *,
        every: float = 10.0,
        told: Callable[[Progress], None] | None = None,
    ) -> Campaign:
        """Wait until all planned work is done, or the campaign is closed.

        Parameters
        ----------
        timeout : in seconds; None waits as long as it takes
        every : seconds between two looks
        told : called with the progress whenever it has changed

        Raises
        ------
        StillWaiting : the time is over; `resume(code)` waits for the rest
        """
        end = None if timeout is None else time.monotonic() + timeout
        last = None
        while True:
            now = self.progress()
            if told is not None and now != last:
                told(now)
            last = now
            if now.is_done:
                return self
            if end is not None and time.monotonic() + every > end:
                raise StillWaiting(f"{now}. Go on with rankme_client.resume({self.code!r}).wait().")
            self.site.sleep(every)

    def raters(self) -> pd.DataFrame:
        """The raters with their state, screens, flags and exclusion."""
        return self._frame("raters/")

    def quality(self) -> pd.DataFrame:
        """The facts about each rater that the page *Quality* shows."""
        return self._frame("quality/")

    def exclude(self, rater: str, reason: str) -> None:
        """Leave a rater out of future analyses; the reason is in the report."""
        path = f"{self.path}raters/{quoted(rater)}/exclusion/"
        self.site.send("POST", path, {"reason": reason})

    def readmit(self, rater: str) -> None:
        self.site.send("DELETE", f"{self.path}raters/{quoted(rater)}/exclusion/")

    def leases(self) -> list[Document]:
        """The batches that raters hold now."""
        return list(self.site.get(f"{self.path}leases/"))

    def release(self, lease: int) -> None:
        """Take a batch back from a rater who will not finish it."""
        self.site.send("POST", f"{self.path}leases/{lease}/release/")

    # --- Members, and the end ---------------------------------------------------------------

    def members(self) -> pd.DataFrame:
        """The members with their roles, without the owner."""
        return pd.DataFrame(self.site.get(f"{self.path}members/"))

    def invite_member(self, role: str, *, days: int | None = None) -> str:
        """Make a link that lets one account in, once. Only this answer has it."""
        wanted: dict[str, Any] = {"role": role} | ({} if days is None else {"days": days})
        return str(self.site.send("POST", f"{self.path}invitations/", wanted)["link"])

    def member_invitations(self) -> pd.DataFrame:
        """The links that still let somebody in, without the links themselves."""
        return pd.DataFrame(self.site.get(f"{self.path}invitations/"))

    def revoke_invitation(self, invitation: int) -> None:
        """End a link that nobody has used, by the `id` in `member_invitations()`."""
        self.site.send("DELETE", f"{self.path}invitations/{invitation}/")

    def change_role(self, member: int, role: str) -> None:
        """Give a member another role, by the `id` in `members()`."""
        self.site.send("PUT", f"{self.path}members/{member}/", {"role": role})

    def remove_member(self, member: int) -> None:
        self.site.send("DELETE", f"{self.path}members/{member}/")

    def hand_over(self, member: int) -> None:
        """Make a member the owner; the owner of before stays as an editor."""
        self.site.send("PUT", f"{self.path}owner/", {"member": int(member)})

    def deletion(self) -> Document:
        """When the campaign is deleted (`due_at`), and what must be done before (`reason`)."""
        found: Document = self.site.get(f"{self.path}deletion/")
        return found

    def ask_to_delete(self, title: str) -> Document:
        """Delete a closed campaign with everything about it, after 14 days; see `keep`.

        `title` is its title, so that a script deletes no other campaign by mistake.
        """
        found: Document = self.site.send("POST", f"{self.path}deletion/", {"title": title})
        return found

    def keep(self) -> None:
        """Cancel the deletion, as long as it has not begun."""
        self.site.send("DELETE", f"{self.path}deletion/")

    def history(self) -> pd.DataFrame:
        """Who did what, the newest first."""
        return self._frame("history/")

    # --- Judgements and reports -------------------------------------------------------------

    def judgements(self, *, stored: bool = False) -> pd.DataFrame:
        """The judgements that analyses count, one value in each row; or all that are stored."""
        answer = self.site.call(
            "GET", f"{self.path}judgements.csv", params={"stored": str(stored).lower()}
        )
        return frame_of(answer.content)

    def analyse(self, *, timeout: float = 3600.0, **options: Any) -> Report:
        """Analyse the judgements that there are; `options` replace the campaign's own."""
        row = self.site.send("POST", f"{self.path}analysis-runs/", {"options": options})
        report = Report(self, row["id"])
        self.site.wait_for_job(report.path, timeout=timeout)
        return report

    def reports(self) -> list[Report]:
        """The finished analyses, newest first."""
        rows = self.site.pages(f"{self.path}analysis-runs/", state="done")
        return [Report(self, row["id"]) for row in rows]

    def report(self, *, timeout: float = 3600.0) -> Report:
        """Analyse the judgements, or return this handle's report if none has come since."""
        done = self.progress().screens_done
        if self._analysed is None or self._analysed[0] != done:
            self._analysed = done, self.analyse(timeout=timeout)
        return self._analysed[1]

    def table(self, name: str = "answer", criterion: str = "") -> pd.DataFrame:
        """A table of the report: by default its answer, the systems in order with intervals."""
        return self.report().table(name, criterion)

    def paper(self, name: str) -> bytes:
        """A file for a paper, such as `methods.tex`, `heds.json` or `data.zip`.

        Raises
        ------
        ApiError : it cannot be made, such as a data set that still lacks a licence
        """
        return self.site.call("GET", f"{self.path}paper/{quoted(name)}").content

    # --- A panel of paid raters ---------------------------------------------------------------

    def study(self) -> Document | None:
        """The campaign's newest study at its panel."""
        try:
            found: Document = self.site.get(f"{self.path}panel/")
        except ApiError as refusal:
            if refusal.status == NOT_FOUND:
                return None
            raise
        return found

    # --- Items ----------------------------------------------------------------------------------

    def items(self, search: str | None = None) -> pd.DataFrame:
        """The items, in the order of the upload."""
        return pd.DataFrame(list(self.site.pages(f"{self.path}items/", search=search)))

    def item(self, number: int) -> Document:
        """An item by its place in the upload, from 1, with everything that raters said about it."""
        found: Document = self.site.get(f"{self.path}items/{number}/")
        return found

    def disagreements(self, criterion: str | None = None) -> pd.DataFrame:
        """The outputs on which raters differ most."""
        return pd.DataFrame(self.site.get(f"{self.path}disagreements/", criterion=criterion))

    def settle(
        self, number: int, values: Mapping[str, float | None], reason: str, *, system: str | None
    ) -> None:
        """Settle a disagreement about an output of this item, or about the item as a whole."""
        document = {"values": dict(values), "reason": reason, "system": system}
        self.site.send("POST", f"{self.path}items/{number}/settlements/", document)

    # --- Webhooks -------------------------------------------------------------------------------

    def add_webhook(self, url: str, kinds: Sequence[str] = ()) -> str:
        """Tell this address what happens; the secret for `rankme_client.webhooks.read_message`."""
        document = {"url": url, "kinds": list(kinds)}
        return str(self.site.send("POST", f"{self.path}webhooks/", document)["secret"])

    def webhooks(self) -> pd.DataFrame:
        return pd.DataFrame(self.site.get(f"{self.path}webhooks/"))

    def _frame(self, path: str) -> pd.DataFrame:
        return pd.DataFrame(list(self.site.pages(f"{self.path}{path}")))


def _problem(found: Mapping[str, Any]) -> str:
    place = ", ".join(f"{name} {found[name]}" for name in ("file", "line") if found.get(name))
    message = str(found.get("message", found))
    return f"{place}: {message}" if place else message
