"""One call from a table of outputs to raters who compare them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from .campaigns import Campaign
from .frames import BadFrame, csv_of, long_of
from .sites import Site

TEXTS_OF_ITEMS = ("input", "reference", "context")
DEFAULT_QUESTION = "Which text is better?"
CONSENT = (
    "In this study you compare texts, two at a time.\n\n"
    "We store your answers, the times at which you gave them, and the identifier that a panel "
    "gave you if one sent you. We do not ask for your name or your address. The answers may be "
    "published without anything that identifies you. You can stop at any time.\n\n"
    "Please take part only if you are at least 18 years old."
)
NAMED = (
    "In this study you compare texts, two at a time.\n\n"
    "Your link was made for you, and the organisers see your name next to your answers. We store "
    "your answers and the times at which you gave them. The answers may be published without "
    "your name. You can stop at any time."
)


@dataclass(frozen=True)
class Panel:
    """A study at a panel of paid raters, drafted for the campaign.

    A draft costs nothing. Publish it on the campaign's page, where its cost is shown.

    Parameters
    ----------
    account : the number of the panel account on the site
    reward : for one rater, in the smallest unit of the currency
    minutes : that a rater is expected to need
    ceiling : the most that everything together may cost, in the same unit
    """

    account: int
    reward: int
    minutes: int
    ceiling: int
    name: str = ""
    description: str = ""
    devices: tuple[str, ...] = ("desktop",)

    def study(self, title: str, places: int) -> dict[str, Any]:
        return {
            "account": self.account,
            "name": self.name or title,
            "description": self.description or title,
            "places": places,
            "reward": self.reward,
            "minutes": self.minutes,
            "longest_minutes": max(2 + 4 * self.minutes, 20),
            "ceiling": self.ceiling,
            "devices": list(self.devices),
        }


def compare(
    outputs: pd.DataFrame,
    *,
    question: str = DEFAULT_QUESTION,
    raters: int | Sequence[str] = 3,
    panel: Panel | None = None,
    systems: Sequence[str] = (),
    per_comparison: int | None = None,
    screens_per_item: int = 1,
    ties: bool = True,
    title: str = "",
    definition: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    key: str = "",
    site: Site | None = None,
) -> Campaign:
    """Let people compare the outputs of systems, two at a time, and return at once.

    The same call again finds the same campaign, and goes on where an earlier one ended:
    `compare(...).wait().table()` may be stopped and run again at any time.

    Parameters
    ----------
    outputs : a row for each output with the columns item, system and output; or with `systems` a
        row for each item and a column for each of these systems. A column `input` is shown too.
    question : what raters are asked about the two texts
    raters : how many people come by the open link or from the panel; or their names, for each of
        whom a personal link is made (`invitations()` has them)
    panel : where paid raters come from; the study is drafted and not published
    per_comparison : how many of them judge each comparison; by default three, or all if fewer
    screens_per_item : comparisons of each item
    ties : whether raters may say that both are equally good
    definition : settings of a campaign file that replace those made here
    columns : other names of the columns item, system, output
    key : of the campaign; by default made from the outputs and all other arguments
    site : by default that of RANKME_URL and RANKME_TOKEN
    """
    site = site or Site()
    table = long_of(outputs, systems=systems, **dict(columns or {}))
    if table["system"].nunique() < 2:
        raise BadFrame("A comparison needs the outputs of at least two systems.")
    names = [] if isinstance(raters, int) else list(raters)
    people = raters if isinstance(raters, int) else len(names)
    each = min(3, people) if per_comparison is None else per_comparison
    file = comparison_file(
        question, title=title, ties=ties, raters_per_trial=each, screens_per_item=screens_per_item,
        has_input="input" in table.columns, is_named=bool(names), is_open=not names,
    ) | dict(definition or {})  # fmt: skip
    content = csv_of(table)
    # A key that is used again for other outputs is then refused.
    file["description"] = f"Made by a script from outputs with the SHA-256 {sha256(content)}."
    key = key or key_of(file, raters, panel)
    if panel is not None:
        codes = {"completed": code_of(key)}
        file["crowd"] = {"panel": "prolific", "open_link": False, "completion_codes": codes}
    campaign = site.create(file, key=key)
    start(campaign, {"outputs.csv": content}, table_mapping(table), raters=people)
    if names:
        campaign.invite(names)
    if panel is not None and campaign.study() is None:
        site.send("POST", f"{campaign.path}panel/", panel.study(str(file["title"]), people))
    return campaign


def start(
    campaign: Campaign, files: Mapping[str, bytes], columns: Mapping[str, Any], *, raters: int
) -> None:
    """Take a draft to its launch; what an earlier call has done is not done again."""
    if campaign.state != "draft":
        return
    if not any(upload["phase"] == "taken" for upload in campaign.uploads()):
        campaign.upload(files, columns=columns)
    campaign.fit(raters)
    campaign.launch()


def comparison_file(
    question: str,
    *,
    title: str,
    ties: bool,
    raters_per_trial: int,
    screens_per_item: int,
    has_input: bool,
    is_named: bool,
    is_open: bool,
) -> dict[str, Any]:
    """The campaign file of a comparison of two outputs on each screen."""
    shown: list[Any] = [{"block": "input", "title": "What the texts are about"}] * has_input
    options = {"outputs_per_screen": 2, "screens_per_item": screens_per_item}
    return {
        "format": 1,
        "title": title or question[:200],
        "input_kind": "text" if has_input else "none",
        "criteria": [
            {
                "name": "preference",
                "question": question,
                "instrument": "preference",
                "options": {"ties": ties},
            }
        ],
        "screens": [
            {"name": "compare", "title": "Compare two texts", "ask": ["preference"],
             "show": [*shown, "outputs"]}
        ],
        "design": {"kind": "random_blocks", "options": options | {"trials_per_batch": 20}},
        "raters_per_trial": raters_per_trial,
        "crowd": {"open_link": is_open},
        "texts": {
            "consent": NAMED if is_named else CONSENT,
            "instructions": f"Each page shows two texts. {question}",
            "thanks": "Thank you. Your judgements are stored.",
        },
    }  # fmt: skip


def table_mapping(table: pd.DataFrame) -> dict[str, Any]:
    """What the columns of the table mean, as the site's import takes it."""
    roles = ["item", "system", "output", *(each for each in TEXTS_OF_ITEMS if each in table)]
    return {"tables": [{"layout": "long", "columns": {role: role for role in roles}}]}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def key_of(file: Mapping[str, Any], raters: int | Sequence[str], panel: Panel | None) -> str:
    """A key that the same call makes again, on any machine."""
    people = raters if isinstance(raters, int) else list(raters)
    asked = [file, people, asdict(panel) if panel else None]
    return f"compare-{sha256(json.dumps(asked, sort_keys=True).encode())[:40]}"


def code_of(key: str) -> str:
    """A code with which the panel's raters say that they are done."""
    return sha256(f"code {key}".encode())[:10].upper()
