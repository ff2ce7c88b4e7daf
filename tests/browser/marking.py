"""A campaign whose texts are marked, and the hand that marks them."""

import json
from typing import Any

from playwright.sync_api import Locator, Page

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.models import Campaign, Item, Judgement, Output
from tests.browser.rating import open_work
from tests.campaigns import make_campaign, slider_definition

TEXT = "The dog walked over the bridge."
SEVERITIES = {"minor": "Minor", "major": "Major"}
# Where a word is, once it was brought to the middle of the window.
PLACE_OF = """(element, place) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let [node, left] = [walker.nextNode(), place];
  for (; node.nodeValue.length <= left; node = walker.nextNode()) left -= node.nodeValue.length;
  const range = document.createRange();
  range.setStart(node, left);
  range.setEnd(node, left + 1);
  const middle = innerHeight / 2;
  scrollBy({ top: range.getBoundingClientRect().top - middle, behavior: "instant" });
  const box = range.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def marking(
    *texts: str,
    item_input: str = "Der Hund lief.",
    launch: bool = True,
    unassisted: float = 0.0,
    **options: Any,
) -> Campaign:
    """A campaign with one item for each of these texts, and marks to be made in them.

    `unassisted` is the share of the pages without their suggested marks.
    """
    texts = texts or (TEXT,)
    criterion = {"name": "errors", "question": "Mark the errors.", "instrument": "spans"}
    definition = slider_definition(
        criteria=[criterion | {"options": {"severities": SEVERITIES} | options}],
        screens=[{"name": "mark", "show": ["input", "outputs"], "ask": ["errors"]}],
        design={"kind": "complete", "unassisted_share": unassisted},
    )
    campaign = make_campaign(definition, items=len(texts), systems=1, launch=False)
    Item.objects.filter(campaign=campaign).update(input=item_input)
    outputs = Output.objects.filter(item__campaign=campaign).order_by("item__position")
    for output, words in zip(outputs, texts, strict=True):
        Output.objects.filter(pk=output.pk).update(text=words)
    return launch_campaign(campaign, by=campaign.owner) if launch else campaign


def open_screen(page: Page, campaign: Campaign) -> Locator:
    open_work(page, campaign)
    return page.get_by_role("textbox", name="Mark the errors.").first


def stored(position: int = 0) -> dict[str, Any]:
    found = Judgement.objects.filter(position=position, criterion__name="errors").latest("pk")
    return {"penalty": found.value, **json.loads(found.text)}


def drag_over(page: Page, words: str, text: Locator) -> None:
    """Select with the mouse from just inside the first to just inside the last character."""
    boxes = text.evaluate(
        """(element, words) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.nodeValue.indexOf(words);
                if (at < 0) continue;
                const box = (from, to) => {
                    const range = document.createRange();
                    range.setStart(node, from);
                    range.setEnd(node, to);
                    const { x, y, width, height } = range.getBoundingClientRect();
                    return [x + width / 2, y + height / 2, width];
                };
                const last = at + words.length;
                return [box(at, at + 1), box(last - 1, last)];
            }
            return null;
        }""",
        words,
    )
    (x, y, width), (to_x, to_y, last) = boxes
    page.mouse.move(x - width * 0.4, y)
    page.mouse.down()
    page.mouse.move(to_x + last * 0.4, to_y, steps=4)
    page.mouse.up()
