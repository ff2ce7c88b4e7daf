"""Signed entry: a fresh RSA key, its public half as JWKS, and the tokens that raters bring."""

from __future__ import annotations

import json
import time
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from .books import Books, Submission, new_id

ISSUER = "https://www.prolific.com"
TOKEN_PARAMETER = "prolific_token"
HOUR = 3600


class Keys:
    """The panel's signing key. A new one has a new id, and tokens of the old one become invalid."""

    def __init__(self) -> None:
        self.key_id = new_id()

    @cached_property
    def private(self) -> rsa.RSAPrivateKey:
        """Drawn when it is first needed: that takes longer than anything else here."""
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def jwks(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key()))
        return {"keys": [public | {"kid": self.key_id, "use": "sig", "alg": "RS256"}]}

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.private, "RS256", headers={"kid": self.key_id})


def entry_link(books: Books, keys: Keys, submission: Submission) -> str:
    """The study's address for this person, with a token if the study asks for one."""
    study = submission.study
    ids = {
        "PROLIFIC_PID": submission.participant,
        "STUDY_ID": study.id,
        "SESSION_ID": submission.id,
    }
    address = str(study.document["external_study_url"])
    for name, value in ids.items():
        address = address.replace("{{%" + name + "%}}", value)
    if not study.document.get("is_external_study_url_secure"):
        return address
    parts = urlsplit(address)
    claims = ids | {"workspace_id": books.workspace, "organisation_id": books.workspace}
    token = keys.sign(
        {
            "iss": ISSUER,
            "aud": f"{parts.scheme}://{parts.netloc}",
            "sub": submission.id,
            "exp": int(time.time()) + HOUR,
            "prolific": claims,
        }
    )
    query = {name: found[0] for name, found in parse_qs(parts.query).items()}
    return parts._replace(query=urlencode(query | {TOKEN_PARAMETER: token})).geturl()
