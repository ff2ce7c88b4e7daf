"""Raters who follow a link, do their batches and read their code; and what that took."""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from .answers import Taste, answers_to, is_asked, played
from .browser import Browser, ConnectionLost, Form, Page, Reply
from .characters import CHARACTERS, Knowledge, obeying, unread
from .practising import corrected
from .traces import trace_of

RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0, 2.0)
STORED = (200, 201, 202)
MOST_PAGES = 1_000

Answered = TypeVar("Answered", Page, Reply)


class RaterError(Exception):
    """The site asked or answered something that a rater's page should not."""


@dataclass
class Latencies:
    """Seconds per kind of request, from many threads."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, seconds: float) -> None:
        with self.lock:
            self.seconds[name].append(seconds)

    def table(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Name, requests, p50, p99 and the longest, in milliseconds."""
        for name, seconds in sorted(self.seconds.items()):
            ordered = sorted(seconds)
            at = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99, 1))
            p50, p99, longest = (1000 * second for second in at)
            yield name, len(ordered), p50, p99, longest


@dataclass
class Cohort:
    """The behaviour of a group of raters. `seconds_per_screen` 0: they answer at once.

    They come at random moments of the first `arrive_within_seconds`. Where they report times
    (`reports_times`), these are those of their `character`, not of the simulation; `begun` is told
    each batch, whose clock has to be set back for that.

    `new_key_per_try` is the fault that the keys prevent; only tests ask for it.
    """

    link: str
    raters: int = 10
    concurrency: int = 10
    seconds_per_screen: float = 0.0
    arrive_within_seconds: float = 0.0
    abandon: float = 0.0
    seed: int = 0
    truth: Mapping[str, float] = field(default_factory=dict)
    known: Knowledge = field(default_factory=Knowledge)
    character: str = "careful"
    reports_times: bool = False
    begun: Callable[[int], None] = lambda assignment: None
    patience_seconds: float = 60.0
    new_key_per_try: bool = False
    transport: httpx.BaseTransport | None = None  # instead of the network


@dataclass
class Outcome:
    """Counts of finished raters, and every acknowledged submission."""

    latencies: Latencies
    endings: Counter[str] = field(default_factory=Counter)
    acknowledged: list[dict[str, Any]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    retries: int = 0
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def write_history(self, path: Path) -> None:
        """One acknowledged payload per line: what a checker compares with the database."""
        with path.open("w", encoding="utf-8") as file:
            for payload in self.acknowledged:
                file.write(json.dumps(payload) + "\n")


def run_raters(cohort: Cohort, told: Callable[[int], None] = lambda done: None) -> Outcome:
    """Let all raters work; `told` is called with the number that are done."""
    outcome = Outcome(Latencies())
    lock = threading.Lock()
    began = time.perf_counter()

    def one(number: int) -> None:
        rater = Rater(cohort, number, outcome.latencies)
        try:
            ending = rater.take_part()
        except (RaterError, ConnectionLost) as error:
            ending = "failed"
            rater.problem = f"rater {number}: {error}"
        finally:
            rater.browser.close()
        with lock:
            _note(outcome, rater, ending)
            told(sum(outcome.endings.values()))

    with ThreadPoolExecutor(cohort.concurrency) as pool:
        list(pool.map(one, range(cohort.raters)))
    outcome.seconds = time.perf_counter() - began
    return outcome


def _note(outcome: Outcome, rater: Rater, ending: str) -> None:
    outcome.endings[ending] += 1
    outcome.acknowledged += rater.acknowledged
    outcome.retries += rater.retries
    outcome.codes += [rater.code] if rater.code else []
    outcome.problems += [rater.problem] if rater.problem else []


class Rater:
    """One simulated person with one browser."""

    def __init__(self, cohort: Cohort, number: int, latencies: Latencies) -> None:
        self.cohort = cohort
        self.character = CHARACTERS[cohort.character]
        dice = "replay" if self.character.replays else number
        self.rng = random.Random(f"{cohort.seed}:{dice}")
        truth = {**cohort.truth, **cohort.known.quality}
        self.taste = Taste(self.rng, truth, leniency=self.rng.gauss(0, 0.3))
        self.mood = random.Random(f"{cohort.seed}:{number}:mood").uniform(-2, 2)
        self.link = cohort.link.replace("{n}", str(number))
        parts = urlsplit(self.link)
        self.browser = Browser(f"{parts.scheme}://{parts.netloc}", latencies.add, cohort.transport)
        self.leaves_at = self.rng.random() if self.rng.random() < cohort.abandon else None
        self.acknowledged: list[dict[str, Any]] = []
        self.retries = 0
        self.waited = 0.0
        self.code = ""
        self.problem = ""

    def take_part(self) -> str:
        """Go from page to page until there is nothing more to do; say how it ended."""
        time.sleep(self.rng.random() * self.cohort.arrive_within_seconds)
        page = self._open(self.link)
        for _ in range(MOST_PAGES):
            if page.status >= 400 and not (page.status == 422 and page.step == "quiz"):
                raise RaterError(f"{page.address} answered {page.status}")
            if page.completion_code:
                self.code = page.completion_code
                return "completed"
            if page.document is not None:
                following = self._work(page)
                if following is None:
                    return "left"
                page = self._open(following)
            elif page.step == "more":
                page = self._open(page.address.replace("/more/", "/work/"))
            elif page.ask_again_seconds is not None:
                if not self._wait(page.ask_again_seconds):
                    return "no work"
                page = self._open(page.address)
            elif page.forms:
                page = self._open(page.address, self._filled(page.forms[0]))
            else:
                return "stopped"
        raise RaterError("these pages have no end")

    def _filled(self, form: Form) -> dict[str, str]:
        """Agree, and choose the right answer if the rater reads, else the first or any one."""
        chosen = {name: options[0] for name, options in form.choices.items()}
        for name, right in self.cohort.known.fields.items():
            if name in chosen:
                reads = self.rng.random() < self.character.awake
                chosen[name] = right if reads else self.rng.choice(form.choices[name])
        written = {name: value or "none" for name, value in form.values.items()}
        if "device" in written:
            written["device"] = "keyboard"  # where a study needs a mouse or a keyboard
        return written | chosen | dict(form.buttons[:1])

    def _wait(self, seconds: float) -> bool:
        """Wait as the page does, as long as this rater's patience lasts."""
        pause = min(seconds, 1.0) if self.cohort.seconds_per_screen == 0 else seconds
        if self.waited + pause > self.cohort.patience_seconds:
            return False
        self.waited += pause
        time.sleep(pause)
        return True

    # Work ------------------------------------------------------------------------------------

    def _work(self, page: Page) -> str | None:
        """Answer every open screen of the batch; return the next address, None on leaving."""
        document = page.document
        assert document is not None
        addresses = document["addresses"]
        self.cohort.begun(document["assignment"])
        if document["practice"]:
            if document["practice_gate"] and not self._practise(page):
                return str(addresses["work"])
            self._call(addresses["practised"], {}, page.csrf_token)
        stored = {tuple(screen) for screen in document["stored"]}
        while True:
            if not self._answer_all(page, stored):
                return None
            reply = self._call(addresses["finish"], {}, page.csrf_token)
            if reply.status == 200:
                return str(reply.document["next"])
            if reply.status != 409:
                raise RaterError(f"finish answered {reply.status}: {reply.document}")
            stored = {tuple(screen) for screen in reply.document["stored"]}

    def _practise(self, page: Page) -> bool:
        """Try each example until it is passed; False where the last try was not as expected."""
        document = page.document
        assert document is not None
        screens, address = document["screens"], document["addresses"]["practice_feedback"]
        for number, trial in enumerate(document["practice"]):
            answers = [answers_to(screen, trial, self.taste) for screen in screens]
            while True:
                sent = {"trial": number, "screens": answers}
                told = self._call(address, sent, page.csrf_token).document
                if told["ends_the_work"]:
                    return False
                if not told["may_try_again"]:
                    break
                answers = corrected(screens, trial, told["answers"], self.rng)
        return True

    def _answer_all(self, page: Page, stored: set[tuple[int, ...]]) -> bool:
        document = page.document
        assert document is not None
        n_trials = len(document["trials"])
        for number, trial in enumerate(document["trials"]):
            if self.leaves_at is not None and number >= self.leaves_at * n_trials:
                return False
            reads = self.character.awake == 1 or self.rng.random() < self.character.awake
            for index, screen in enumerate(document["screens"]):
                if is_asked(screen, trial) and (number, index) not in stored:
                    answers = self._answers(screen, trial, reads=reads)
                    if self._answer(page, number, index, answers):
                        return True
        return True

    def _answers(
        self, screen: dict[str, Any], trial: dict[str, Any], *, reads: bool
    ) -> list[dict[str, Any]]:
        if not reads:
            return answers_to(screen, trial, unread(self.character.habit, self.rng, self.mood))
        answers = answers_to(screen, trial, self.taste)
        if not self.cohort.known.asked:
            return answers
        return obeying(answers, screen, trial, self.cohort.known.asked, self.rng)

    def _answer(self, page: Page, trial: int, screen: int, answers: list[dict[str, Any]]) -> bool:
        """Send the answers; return whether the site ends the rater's work."""
        document = page.document
        assert document is not None
        spent = self.cohort.seconds_per_screen * self.rng.lognormvariate(0, 0.3)
        times = {"spent_ms": round(spent * 1000, 1)}
        if self.cohort.reports_times:
            reported = 1000 * self.character.seconds * self.rng.lognormvariate(0, 0.5)
            times = {"spent_ms": round(reported, 1), "active_ms": round(0.9 * reported, 1)}
        if times["spent_ms"]:  # no answer comes after its page was left
            for answer in answers:
                answer["time_ms"] = min(answer["time_ms"], times["spent_ms"])
        payload = {
            "version": document["version"],
            "key": str(uuid.uuid4()),
            "assignment": document["assignment"],
            "trial": trial,
            "screen": screen,
            "answers": answers,
            "times": {**times, "files": played(document["trials"][trial])},
            "comment": "",
        }
        if document.get("traces"):
            dice = random.Random(f"{self.rng.random()}")
            payload["trace"] = trace_of(self.character.hands, dice, times["spent_ms"])
        time.sleep(spent)
        return self._submit(document["addresses"]["submit"], payload, page.csrf_token)

    def _submit(self, address: str, payload: dict[str, Any], csrf_token: str) -> bool:
        """Send until the site acknowledges it, as the page's outbox does."""

        def renew() -> None:
            if self.cohort.new_key_per_try:
                payload["key"] = str(uuid.uuid4())

        reply = self._call(address, payload, csrf_token, before_retry=renew)
        if reply.status not in STORED:
            raise RaterError(f"submit answered {reply.status}: {reply.document}")
        self.acknowledged.append(payload)
        return bool(reply.document and reply.document.get("ends_the_work"))

    # Patience --------------------------------------------------------------------------------

    def _open(self, address: str, form: dict[str, str] | None = None) -> Page:
        return self._patiently(
            lambda: self.browser.open(address, form), lambda page: page.status >= 500
        )

    def _call(
        self,
        address: str,
        document: Any,
        csrf_token: str,
        before_retry: Callable[[], None] = lambda: None,
    ) -> Reply:
        return self._patiently(
            lambda: self.browser.call(address, document, csrf_token),
            lambda reply: reply.status >= 500 or reply.status == 429,
            before_retry,
        )

    def _patiently(
        self,
        ask: Callable[[], Answered],
        failed: Callable[[Answered], bool],
        before_retry: Callable[[], None] = lambda: None,
    ) -> Answered:
        """Ask again while the site is away, with growing pauses, until patience ends."""
        end = time.monotonic() + self.cohort.patience_seconds
        tries = 0
        while True:
            try:
                answer = ask()
                if not failed(answer):
                    return answer
                trouble = f"status {answer.status}"
            except ConnectionLost as error:
                trouble = str(error)
            if time.monotonic() > end:
                raise ConnectionLost(f"no answer from {self.cohort.link}: {trouble}")
            time.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1
            self.retries += 1
            before_retry()
