"""Signed entry: a fresh RSA key, its public half as JWKS, and the tokens that raters bring."""

from __future__ import annotations

import json
import time
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from .books import Books, Submission, new_id

ISSUER = "https://www.prolific.com"
TOKEN_PARAMETER = "prolific_token"
# As published; simulated raters who are still underway get longer ones.
TOKEN_LASTS = 120


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
        return {
            "keys": [
                public | {"kid": self.key_id, "use": "sig", "alg": "RS256", "key_ops": ["verify"]}
            ]
        }

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.private, "RS256", headers={"kid": self.key_id})


def entry_link(
    books: Books, keys: Keys, submission: Submission, *, lasts: int = TOKEN_LASTS
) -> str:
    """The study's address for this person, with a token if the study asks for one."""
    study = submission.study
    ids = {
        "PROLIFIC_PID": submission.participant,
        "STUDY_ID": study.id,
        "SESSION_ID": submission.id,
    }
    address = str(study.document["external_study_url"])
    names = {value: name for name, value in parse_qsl(urlsplit(address).query)}
    for name, value in ids.items():
        address = address.replace("{{%" + name + "%}}", value)
    if not study.document.get("is_external_study_url_secure"):
        return address
    parts = urlsplit(address)
    # As published: the address's own parameters with their values, and the workspace.
    claims = {names["{{%" + name + "%}}"]: value for name, value in ids.items()}
    claims |= {"workspace_id": books.workspace}
    token = keys.sign(
        {
            "iss": ISSUER,
            "iat": int(time.time()),
            "aud": address,
            "sub": submission.id,
            "exp": int(time.time()) + lasts,
            "prolific": claims,
        }
    )
    query = {name: found[0] for name, found in parse_qs(parts.query).items()}
    return parts._replace(query=urlencode(query | {TOKEN_PARAMETER: token})).geturl()
