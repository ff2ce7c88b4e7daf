"""The two tokenisations that published scores rest on, and n-grams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

Tokens = tuple[str, ...]

# --- mteval's, for NIST ------------------------------------------------------------------------

MTEVAL_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# Punctuation but for the apostrophe, full stop, comma and hyphen.
MTEVAL_SYMBOLS = str.maketrans({mark: f" {mark} " for mark in '{|}~[\\]^_` !"#$%&()*+:;<=>?@/'})
MTEVAL_STOPS = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def mteval_tokens(text: str) -> Tokens:
    """Split a text as mteval-v13a does for Western languages, in lower case.

    Parameters
    ----------
    text : one output or reference

    Returns
    -------
    Its tokens; punctuation is kept.

    Source
    ------
    NIST's mteval-v13a.pl, as the E2E challenge's scripts follow it.
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in MTEVAL_ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} ".translate(MTEVAL_SYMBOLS)
    for pattern, spaced in MTEVAL_STOPS:
        text = pattern.sub(spaced, text)
    return tuple(text.lower().split())


# --- the Penn Treebank's, for ROUGE-L and CIDEr ------------------------------------------------

# What the COCO scripts drop after tokenisation: quotes, brackets, stops and dashes. Other symbols
# (currency signs, percent signs) stay tokens.
DROPPED = frozenset("'.?!,:;-\"`(){}[]–—…") | {"--", "..."}
CLITICS = re.compile(r"(?<=\w)(n't|'(?:s|m|d|re|ve|ll))(?!\w)")
JOINED_WORDS = re.compile(
    r"\b(?:(can)(not)|(gon)(na)|(got)(ta)|(wan)(na)|(gim)(me)|(lem)(me)|(d')(ye))\b"
)
# Abbreviations keep their stop; numbers keep signs within them, words keep hyphens.
PIECES = re.compile(
    r"(?:[^\W\d_]\.){2,}|n't|'(?:s|m|d|re|ve|ll)(?!\w)"
    r"|\d+(?:[.,:/\-]\d+)*(?:st|nd|rd|th|s|p)?(?!\w)|\w+(?:[-&'/.]\w+)*|--+|\.\.+|[^\w\s]"
)
SAME_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "'"})


def treebank_tokens(text: str) -> Tokens:
    """Split a text as the Penn Treebank does, in lower case, without punctuation.

    The reference implementation runs Stanford's Java tokeniser; this one follows its rules where
    they matter in running English text. It differs on e-mail addresses, emoticons and rare
    abbreviations.

    Parameters
    ----------
    text : one output or reference

    Returns
    -------
    Its words, numbers and symbols.

    Source
    ------
    Chen et al. (2015), the COCO caption evaluation; Marcus et al. (1993).
    """
    text = text.lower().translate(SAME_QUOTES)
    text = CLITICS.sub(r" \1", text)
    text = JOINED_WORDS.sub(lambda found: " ".join(filter(None, found.groups())), text)
    return tuple(
        piece for piece in PIECES.findall(text) if piece not in DROPPED and piece.strip(".-")
    )


# --- n-grams -----------------------------------------------------------------------------------


def ngrams(tokens: Sequence[str], length: int) -> Iterable[Tokens]:
    """Yield every run of `length` neighbouring tokens, in order.

    Parameters
    ----------
    tokens : of a text
    length : of the runs
    """
    return zip(*(tokens[start:] for start in range(length)), strict=False)


def counts(tokens: Sequence[str], longest: int) -> Counter[Tokens]:
    """Count each n-gram of 1 to `longest` tokens.

    Parameters
    ----------
    tokens : of a text
    longest : the length of the longest ones
    """
    found: Counter[Tokens] = Counter()
    for length in range(1, longest + 1):
        found.update(ngrams(tokens, length))
    return found
