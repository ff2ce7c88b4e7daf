"""How long a rater waits from the link to the first screen, on a fast and on a slow line.

Run: python benchmarks/slow_line.py [--presets likert-criteria] [--repeat 3] [--reading 3]

Slow 3G as Chromium's developer tools define it: every request waits for 2,000 ms (400 ms of round
trip, times five), and 50 kB per second come in (500 kbit/s, times 0.8). The processor is six times
slower. The site answers over HTTP/1.1 without a proxy; with `--proxy` over HTTP/2, through nginx as
docs/deployment.md sets it up. The rater clicks as soon as a page with the
button is painted, so each page of the way costs at least the 2,000 ms of its own request; with
`--reading` the rater reads each page for so many seconds, and files for the work come in meanwhile.

Least and median of the runs are printed. Depending on the machine and its load:
- seconds from the link until each page is painted, and until the first screen can be answered;
- "waited": the time without reading, from the link or a click until the next page is painted;
- "blank": the longest time from the first byte of a page until something of it is painted;
- "task": the longest task of the pages' scripts and layout.
Independent of them: requests, pages among them, and kB (1,000 bytes, with headers) up to the first
screen, and those of them that came in after the last click, when the rater could only wait.
On the slow line, files that come in after their page has gone are not among them.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import itertools
import json
import os
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate
from site_under_test import load, own_site

SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000}
LINES = {
    "fast line": None,
    "Slow 3G, processor 6 times slower": SLOW_3G | {"uploadThroughput": 50_000},
}
PATIENCE_SECONDS = 120
# Runs in every page, without a call from outside: those would cost the slow processor more than the
# pages do. `told` is a binding of the browser.
RATER = """
    const long = [];
    let readSince = 0;
    const now = () => performance.timeOrigin + performance.now();
    const tell = (what) => told(JSON.stringify([what, now(), Math.max(0, ...long)]));
    new PerformanceObserver((list) => long.push(...list.getEntries().map((each) => each.duration)))
      .observe({ type: "longtask", buffered: true });
    new PerformanceObserver((list) => {
      if (!list.getEntriesByName("first-contentful-paint").length) return;
      tell("painted");
      readSince = performance.now();
      act();
    }).observe({ type: "paint", buffered: true });
    function act() {
      const button = document.querySelector("main form[method=post] .button.primary");
      const isRead = performance.now() - readSince >= READING;
      if (document.querySelector("form.screen[data-onset], [data-go-on]:not([hidden])"))
        tell("first screen");
      else if (!isRead || !button?.checkVisibility()) requestAnimationFrame(act);
      else {
        for (const [name, value] of ANSWERS)
          document.querySelector(`[name="entry-${name}"][value="${value}"]`)?.click();
        tell("clicked");
        button.click();
        replaced(button);
      }
    }
    // The answer to the consent takes the place of that page within the same document.
    function replaced(button) {
      if (button.isConnected) requestAnimationFrame(() => replaced(button));
      else
        requestAnimationFrame(() => {
          tell("painted");
          readSince = performance.now();
          act();
        });
    }
"""


@dataclass
class Line:
    """What a browser's line has carried, and when its pages came and were painted."""

    requests: int = 0
    pages: int = 0
    kilobytes: float = 0.0
    before_work: tuple[int, float] = (0, 0.0)
    first_byte: float | None = None
    blanks: list[float] = field(default_factory=list)
    begun: float = 0.0
    told: list[tuple[str, float, float]] = field(default_factory=list)

    def listen(self, session: Any) -> None:
        session.on("Network.requestWillBeSent", self._on_request)
        session.on("Network.responseReceived", self._on_response)
        session.on("Network.loadingFinished", self._on_end)
        session.on("Page.lifecycleEvent", self._on_event)
        session.on(
            "Runtime.bindingCalled", lambda event: self.told.append(json.loads(event["payload"]))
        )
        for domain in ("Network", "Page", "Runtime"):
            session.send(f"{domain}.enable")
        session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        session.send("Runtime.addBinding", {"name": "told"})

    def _on_request(self, event: dict[str, Any]) -> None:
        self.begun = self.begun or event["wallTime"]
        if event["type"] == "Document":
            self.before_work = self.requests, self.kilobytes

    def _on_response(self, event: dict[str, Any]) -> None:
        if event["type"] == "Document":
            self.pages += 1
            self.first_byte = event["timestamp"]

    def _on_end(self, event: dict[str, Any]) -> None:
        # What comes from the browser's own memory has no length.
        self.requests += event["encodedDataLength"] > 0
        self.kilobytes += event["encodedDataLength"] / 1000

    def _on_event(self, event: dict[str, Any]) -> None:
        if event["name"] == "firstContentfulPaint" and self.first_byte is not None:
            self.blanks.append(event["timestamp"] - self.first_byte)
            self.first_byte = None

    def reached(self) -> list[tuple[str, float, float]]:
        return [each for each in self.told if each[0] != "clicked"]


def reading_time(told: list[tuple[str, float, float]]) -> float:
    """Seconds between a page that was painted and the click on it, over all pages."""
    pairs = itertools.pairwise(told)
    return sum(after[1] - before[1] for before, after in pairs if after[0] == "clicked") / 1000


def visit(
    browser: Any, site: Any, name: str, conditions: dict[str, Any] | None, reading: float
) -> dict[str, float]:
    """What one rater's way took, by the name of what was reached or counted."""
    from tests.browser.rating import campaign_of

    campaign = campaign_of(name)
    questions = campaign.definition.get("entry_questions", [])
    answers = [[each["name"], (each.get("accept") or ["yes"])[0]] for each in questions]
    context = browser.new_context(base_url=site.url, viewport={"width": 1366, "height": 768})
    page = context.new_page()
    session = context.new_cdp_session(page)
    line = Line()
    line.listen(session)
    script = RATER.replace("ANSWERS", json.dumps(answers))
    page.add_init_script(script.replace("READING", str(1000 * reading)))
    if conditions:
        session.send("Network.emulateNetworkConditions", conditions)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.goto(f"/r/{campaign.code}/?id=w1", wait_until="commit", timeout=1000 * PATIENCE_SECONDS)
    end = time.monotonic() + PATIENCE_SECONDS
    while not any(what == "first screen" for what, _, _ in line.told):
        if time.monotonic() > end:
            raise TimeoutError(f"{name}: only {line.told} after {PATIENCE_SECONDS} s")
        page.wait_for_timeout(50)
    names = ["consent", *(["questions"] if questions else []), "instructions", "work page"]
    names.append("first screen")
    found = {
        each: stamp / 1000 - line.begun
        for each, (_, stamp, _) in zip(names, line.reached(), strict=True)
    }
    found |= {
        "waited": found["first screen"] - reading_time(line.told),
        "blank": max(line.blanks),
        "task": max(longest for _, _, longest in line.told) / 1000,
        "kB": line.kilobytes,
        "kB after the last click": line.kilobytes - line.before_work[1],
        "requests": float(line.requests),
        "requests after it": float(line.requests - line.before_work[0]),
        "pages": float(line.pages),
    }
    context.close()
    return found


def key_hash(certificate: Path) -> str:
    """The hash by which Chromium is told to trust our own certificate."""
    public = load_pem_x509_certificate(certificate.read_bytes()).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--presets", nargs="+", default=["likert-criteria", "e2e-quality"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--reading", type=float, default=0, help="seconds on each page")
    parser.add_argument("--proxy", action="store_true", help="through nginx, with HTTP/2")
    options = parser.parse_args()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs a loop in this thread
    with own_site() as site:
        from playwright.sync_api import sync_playwright

        from tests.chromium import CHROMIUM_FLAGS, installed_chromium
        from tests.live import free_port
        from tests.nginx import proxy_before

        site.start_web(BEHIND_TLS_PROXY=str(options.proxy))
        flags = list(CHROMIUM_FLAGS)
        with sync_playwright() as playwright, contextlib.ExitStack() as stack:
            if options.proxy:
                port = free_port()
                _, folder = stack.enter_context(proxy_before(site.port, tls_port=port))
                # With "--ignore-certificate-errors" it would keep no file.
                key = key_hash(folder / "tls/fullchain.pem")
                flags.append(f"--ignore-certificate-errors-spki-list={key}")
                site.url = f"https://127.0.0.1:{port}"
            browser = playwright.chromium.launch(executable_path=installed_chromium(), args=flags)
            for preset in options.presets:
                for title, conditions in LINES.items():
                    found = [
                        visit(browser, site, preset, conditions, options.reading)
                        for _ in range(options.repeat)
                    ]
                    print(f"\n{preset}, {title}, {options.repeat} runs; {load()}")
                    print(f"  {'':24s}{'least':>8s}{'median':>8s}")
                    for what in found[0]:
                        values = [each[what] for each in found]
                        middle = statistics.median(values)
                        print(f"  {what:24s}{min(values):8.2f}{middle:8.2f}", flush=True)
            browser.close()


if __name__ == "__main__":
    main()
