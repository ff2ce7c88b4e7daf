"""The one line that makes a number reproducible (after sacreBLEU; Post 2018)."""

import json
from collections.abc import Mapping

import numpy as np
import scipy

VERSION = "2.9.2"
HASH_DIGITS = 16


def signature(method: str, options: Mapping[str, object], *, sha256: str) -> str:
    """Write `method`, its options in alphabetical order, the data's hash and all versions.

    >>> signature("wmt", {"seed": 1, "runs": 200}, sha256="ab" * 32)
    'wmt|runs:200|seed:1|data:abababababababab|numpy:2.4.6|scipy:1.17.1|version:2.9.2'

    Parameters
    ----------
    method : its name
    options : everything that decides a number
    sha256 : of the data, hexadecimal

    Source
    ------
    After sacreBLEU; Post (2018).
    """
    stated = [f"{name}:{_plain(options[name])}" for name in sorted(options)]
    versions = (f"numpy:{np.__version__}", f"scipy:{scipy.__version__}", f"version:{VERSION}")
    return "|".join([method, *stated, f"data:{sha256[:HASH_DIGITS]}", *versions])


def citation(signature: str) -> str:
    """Say how to cite the program that made a report.

    Parameters
    ----------
    signature : of the report, which ends with its version
    """
    return f"Cite as: RankME, version {signature.rpartition('version:')[2]} (CITATION.cff)."


def _plain(value: object) -> str:
    """Write a value without the two characters that separate the parts of a signature."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value)
    else:
        text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("%", "%25").replace("|", "%7C")
