"""How long a rater waits from the link to the first screen, on a fast and on a slow line.

Run: python benchmarks/slow_line.py [--preset e2e-quality] [--repeat 3]

Slow 3G as Chromium's developer tools define it (2,000 ms of latency, 50 kB per second), and a
processor six times slower. The rater clicks as soon as a button is there. The site answers over
HTTP/1.1 without a proxy.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any

from site_under_test import load, own_site

SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000}
LINES = {
    "fast line": None,
    "Slow 3G, processor 6 times slower": SLOW_3G | {"uploadThroughput": 50_000},
}


def visit(browser: Any, site: Any, name: str, line: dict[str, Any] | None) -> dict[str, float]:
    """Seconds from the link to each page, and kilobytes and requests in all."""
    from tests.browser.rating import campaign_of

    campaign = campaign_of(name)
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 800})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    if line:
        session.send("Network.emulateNetworkConditions", line)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    begun = time.monotonic()
    seconds = {}

    def seen(what: str) -> None:
        seconds[what] = time.monotonic() - begun

    page.goto(f"/r/{campaign.code}/?id=w1", wait_until="commit")
    page.get_by_role("button", name="I agree").wait_for(timeout=60_000)
    seen("consent")
    page.get_by_role("button", name="I agree").click(no_wait_after=True, timeout=60_000)
    for question in campaign.definition.get("entry_questions", []):
        choice = f"[name=entry-{question['name']}][value={question['accept'][0]}]"
        page.check(choice, timeout=60_000)
    if campaign.definition.get("entry_questions"):
        seen("questions")
        page.get_by_role("button", name="Continue").click(no_wait_after=True)
    page.get_by_role("button", name="Begin").wait_for(timeout=60_000)
    seen("instructions")
    page.get_by_role("button", name="Begin").click(no_wait_after=True)
    page.wait_for_selector("#stage .needs-scripts, #stage p, form.screen", timeout=60_000)
    seen("work page, something on it")
    page.wait_for_selector("form.screen[data-onset], [data-go-on]:not([hidden])", timeout=60_000)
    seen("first screen")
    context.close()
    return seconds | {"kB": sum(sizes) / 1000, "requests": float(len(sizes))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", default="e2e-quality")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs a loop in this thread
    with own_site() as site:
        from playwright.sync_api import sync_playwright

        from tests.live import CHROMIUM_FLAGS, installed_chromium

        site.start_web()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=installed_chromium(), args=CHROMIUM_FLAGS
            )
            print(load())
            for title, line in LINES.items():
                found = [visit(browser, site, options.preset, line) for _ in range(options.repeat)]
                print(f"\n{options.preset}, {title} (median of {options.repeat}):")
                for what in found[0]:
                    print(f"  {what:28s}{statistics.median(each[what] for each in found):8.2f}")
            browser.close()


if __name__ == "__main__":
    main()
