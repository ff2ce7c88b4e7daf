"""An MCP server for assistants that write campaign files with people: `rankme-assistant`.

Its five tools read, check and rehearse. None of them launches a campaign, invites raters or pays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from .campaigns import Campaign
from .connection import Document
from .errors import RankmeClientError
from .sites import Site

INSTRUCTIONS = (
    "RankME runs human evaluations of generated text. A campaign file in YAML decides what raters "
    "see and are asked. Start from a preset of `catalogue`, look settings up with `schema`, and "
    "use `check` until the file is valid. `preview` says what raters will see; `rehearse` plays "
    "the campaign with simulated raters. A person launches it on the campaign's page."
)
LONGEST_FILE, LARGEST_TABLE = 1_000_000, 5_000_000  # characters
REHEARSAL_SECONDS = 900.0


class Tools:
    """The tools over one site."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def catalogue(self, preset: str = "") -> Document:
        """List the campaign files that come with the site; with a name, give that file as YAML."""
        if preset:
            return {"preset": preset, "file": self.site.preset(preset)}
        return {"presets": self.site.presets()}

    def schema(self, part: str = "") -> Document:
        """Explain the settings of a campaign file, as JSON schema.

        Without a part: the file itself, and the names of its parts, such as CriterionSpec.
        """
        schema = self.site.schema()
        parts = schema.pop("$defs", {})
        if not part:
            return schema | {"parts": sorted(parts)}
        if part not in parts:
            raise ToolError(f"There is no part “{part}”. There are: {', '.join(sorted(parts))}.")
        found: Document = parts[part]
        return found

    def check(self, campaign_file: str) -> Document:
        """Check a campaign file in YAML: every problem with its line. Nothing is stored."""
        found = self._checked(campaign_file)
        return {name: found[name] for name in ("valid", "problems", "untranslated")}

    def preview(self, campaign_file: str) -> Document:
        """Say what raters of a campaign file see, page by page. Nothing is stored."""
        found = self._checked(campaign_file)
        return found["outline"] if found["valid"] else {"problems": found["problems"]}

    def rehearse(self, campaign_file: str, outputs_csv: str) -> Document:
        """Play a campaign with simulated raters: the plan, its cost, and pages to look at.

        `outputs_csv` has a header and the columns system, item and output, and may have input. This
        makes a draft on the site, or finds the one that the same file and outputs made before.
        Nothing is launched: no person is asked, and nothing is paid.
        """
        if len(outputs_csv) > LARGEST_TABLE:
            raise ToolError("The outputs are too large for a rehearsal. Upload them on the page.")
        found = self._checked(campaign_file)
        if not found["valid"]:
            return {"problems": found["problems"]}
        asked = hashlib.sha256(f"{campaign_file}\0{outputs_csv}".encode()).hexdigest()
        draft = self.site.create(campaign_file, key=f"assistant-{asked[:40]}")
        if not any(upload["phase"] == "taken" for upload in draft.uploads()):
            draft.upload({"outputs.csv": outputs_csv.encode()})
        pages = draft.rehearse(timeout=REHEARSAL_SECONDS)
        return {"draft": draft.page, "plan": plan_of(draft), "pages_for_an_hour": pages}

    def _checked(self, campaign_file: str) -> Document:
        if len(campaign_file) > LONGEST_FILE:
            raise ToolError("A campaign file has at most a million characters.")
        return self.site.check(campaign_file)


def plan_of(draft: Campaign) -> Document:
    """What the launch would need; its details are on the draft's page."""
    wanted = (
        "batches", "trials", "judgements", "raters", "minutes_per_batch", "hours_in_all", "cost",
        "currency", "pay_per_hour", "pay_is_low", "is_too_fast_to_read", "notes",
    )  # fmt: skip
    plan = draft.plan()
    return {name: plan[name] for name in wanted}


def explained(tool: Callable[..., Document]) -> Callable[..., Document]:
    """The tool, whose refusals reach the assistant as sentences."""

    @wraps(tool)
    def answer(*given: Any, **named: Any) -> Document:
        try:
            return tool(*given, **named)
        except RankmeClientError as error:
            raise ToolError(str(error)) from error

    return answer


def server_of(site: Site) -> Any:
    """The server with its tools."""
    server = MCPServer("rankme", instructions=INSTRUCTIONS)
    tools = Tools(site)
    for tool in (tools.catalogue, tools.schema, tools.check, tools.preview, tools.rehearse):
        server.add_tool(explained(tool))
    return server


def main() -> None:
    """Serve an assistant over standard input and output; the site is that of RANKME_URL."""
    server_of(Site()).run("stdio")
