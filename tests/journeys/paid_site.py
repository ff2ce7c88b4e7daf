"""The running site with a practice panel, and raters whom the panel sends."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from rankme.practice_panel.books import Study, Submission
from rankme.practice_panel.faults import Fault
from rankme.practice_panel.keys import entry_link
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.server import PracticeServer
from rankme.simulation.raters import Cohort, Latencies, Rater
from tests.live import LiveSite, wait_for


@dataclass
class PaidSite:
    """Site and panel, each in processes or threads of its own, and everybody who came."""

    site: LiveSite
    server: PracticeServer
    people: list[Submission] = field(default_factory=list)

    @property
    def panel(self) -> PracticePanel:
        return self.server.panel

    @property
    def there(self) -> Study:
        return list(self.panel.books.studies.values())[-1]

    def fault(self, kind: str, path: str = "", method: str = "", times: int = 1) -> None:
        with self.server.one_at_a_time:
            self.panel.faults.ordered.append(Fault(kind, path, method, times))

    def are_used_up(self) -> bool:
        return all(fault.times == 0 for fault in self.panel.faults.ordered)

    def wait_until_quiet(self) -> None:
        """Until all webhooks are delivered, and the worker has done what they and pages asked."""
        asked = -1
        while asked != len(self.panel.journal):
            asked = len(self.panel.journal)
            wait_for(self.server.has_delivered_all, "the webhooks")
            wait_for(self.site.no_message_is_under_way, "the worker to be at rest")
            time.sleep(0.2)  # a message that a worker takes is nowhere for a moment

    def arrive(self) -> Submission:
        """Somebody takes a place."""
        with self.server.one_at_a_time:
            one = self.panel.books.arrive(self.there, f"{len(self.people):024x}")
        self.people.append(one)
        return one

    def link(self, one: Submission) -> str:
        return entry_link(self.panel.books, self.panel.keys, one)

    def work(self, one: Submission, *, leaves: bool = False) -> str:
        """Do the batch over HTTP, or leave it unfinished; return the code that the site shows."""
        cohort = Cohort(self.link(one), abandon=1.0 if leaves else 0.0, patience_seconds=5)
        rater = Rater(cohort, self.people.index(one), Latencies())
        try:
            rater.take_part()
        finally:
            rater.browser.close()
        return rater.code

    def submit(self, one: Submission, code: str) -> None:
        with self.server.one_at_a_time:
            self.panel.books.submit(one, code)

    def leave(self, one: Submission, status: str) -> None:
        with self.server.one_at_a_time:
            self.panel.books.leave(one, status)


@contextlib.contextmanager
def paid_site(site: LiveSite) -> Iterator[PaidSite]:
    """Let the site talk to a practice panel as long as the block lasts."""
    server = PracticeServer(PracticePanel())
    for work in (server.serve_forever, server.deliver_webhooks):
        threading.Thread(target=work, daemon=True).start()
    site.environment["PROLIFIC_API"] = server.address
    try:
        site.start_web()
        site.start_worker()
        yield PaidSite(site, server)
    finally:
        site.end()
        del site.environment["PROLIFIC_API"]
        server.shutdown()
        server.server_close()
