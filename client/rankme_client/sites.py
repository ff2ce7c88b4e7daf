"""A RankME site: its campaigns and presets, and the way in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from .campaigns import Campaign
from .connection import (
    Connection,
    Document,
    checked,
    new_client,
    quoted,
    refuse_open_line,
)
from .errors import SiteAway


class Site(Connection):
    """A site and the key of an account there, with the account's campaigns."""

    def presets(self) -> list[Document]:
        """The campaign files that come with the site: name, title and description."""
        return list(self.get("presets/"))

    def preset(self, name: str) -> str:
        """A campaign file that comes with the site, in YAML."""
        return self.call("GET", f"presets/{quoted(name)}/file/").text

    def schema(self) -> Document:
        """The JSON schema of a campaign file."""
        found: Document = self.get("definitions/schema/")
        return found

    def check(self, campaign: str | Mapping[str, Any]) -> Document:
        """Check a campaign file (as YAML or a document) and store nothing.

        The answer has `valid`, `problems` with their places, and an `outline` of what raters
        will see.
        """
        path = "definitions/check/"
        if isinstance(campaign, str):
            headers = {"Content-Type": "application/yaml"}
            content = campaign.encode()
            answer = self.call("POST", path, content=content, headers=headers, may_repeat=True)
        else:
            document = {"definition": dict(campaign)}
            answer = self.call("POST", path, json=document, may_repeat=True)
        found: Document = answer.json()
        return found

    def campaigns(self, *, state: str | None = None) -> list[Campaign]:
        """The campaigns that you own or are a member of, newest first."""
        rows = self.pages("campaigns/", state=state)
        return [self.campaign(row["code"]) for row in rows]

    def campaign(self, code: str) -> Campaign:
        """A campaign by its code; it is not asked about before it is used."""
        return Campaign(self, code)

    def create(
        self,
        campaign: str | Mapping[str, Any] | None = None,
        *,
        preset: str = "",
        title: str = "",
        language: str = "",
        key: str = "",
    ) -> Campaign:
        """Create a draft.

        Parameters
        ----------
        campaign : a campaign file as YAML or as a document
        preset : the name of a file that comes with the site, instead of one
        title, language : of the preset's campaign
        key : the same request with the same key finds the campaign that the first one made
        """
        headers = {"Idempotency-Key": key} if key else {}
        if isinstance(campaign, str):
            headers["Content-Type"] = "application/yaml"
            request: dict[str, Any] = {"content": campaign.encode()}
        else:
            chosen = {"preset": preset, "title": title, "language": language}
            document: Document = {name: value for name, value in chosen.items() if value}
            if campaign is not None:
                document["definition"] = dict(campaign)
            request = {"json": document}
        made = self.call(
            "POST", "campaigns/", headers=headers, may_repeat=bool(key), **request
        ).json()
        return self.campaign(made["code"])


def log_in(url: str, name: str, password: str, **more: Any) -> Site:
    """Get a key with a name and a password. A new key ends the account's earlier one.

    Keep `RANKME_TOKEN` in the environment instead where scripts run unattended.
    """
    refuse_open_line(url)
    with new_client(url.rstrip("/"), more.get("transport")) as client:
        try:
            answer = client.post("token/", json={"username": name, "password": password})
        except httpx.TransportError as error:
            raise SiteAway(f"{url} cannot be reached: {error}") from error
    return Site(url, checked(answer).json()["token"], **more)


def resume(code: str, *, site: Site | None = None) -> Campaign:
    """The campaign of this code, also after the script that made it has ended."""
    return (site or Site()).campaign(code)
