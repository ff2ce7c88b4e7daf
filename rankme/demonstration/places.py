"""Made-up places as meaning representations, and 21 made-up systems that describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankme.protocols.meaning_representation import slots

NAMES = tuple(
    f"The {first} {second}"
    for first in ("Copper", "Quiet", "Green", "Old", "Silver", "Lucky", "Blue", "Little")
    for second in ("Kettle", "Anchor", "Orchard", "Lantern", "Heron", "Table", "Bridge", "Oven")
)
ATTRIBUTES = {
    "eatType": ("pub", "restaurant", "coffee shop"),
    "food": ("Italian", "English", "French", "Indian", "Japanese"),
    "priceRange": ("cheap", "moderate", "high"),
    "customer rating": ("low", "average", "high"),
    "area": ("riverside", "city centre"),
    "familyFriendly": ("yes", "no"),
    "near": ("the town hall", "the station", "the old mill"),
}
FEWEST_ATTRIBUTES = 2


def draw_places(n_places: int, *, seed: int = 17) -> list[str]:
    """Meaning representations, all of them different, of three to eight attributes."""
    rng = np.random.default_rng(seed)
    found: dict[str, None] = {}
    while len(found) < n_places:
        wanted = rng.integers(FEWEST_ATTRIBUTES, len(ATTRIBUTES) + 1)
        chosen = set(rng.permutation(list(ATTRIBUTES))[:wanted].tolist())
        pairs = {"name": str(rng.choice(NAMES))} | {
            name: str(rng.choice(values)) for name, values in ATTRIBUTES.items() if name in chosen
        }
        found[", ".join(f"{name}[{value}]" for name, value in pairs.items())] = None
    return list(found)


@dataclass(frozen=True)
class MadeUpSystem:
    """How often it leaves a fact out, whether it adds one, and how it joins its words."""

    omits: float
    adds: float
    joined: Callable[[str, list[str]], str]


def describe(place: str, system: str) -> str:
    """What a made-up system says about a place; the same call gives the same text."""
    made = SYSTEMS[system]
    rng = np.random.default_rng([*place.encode(), *system.encode()])
    pairs = slots(place)
    name = dict(pairs)["name"]
    said = [
        PHRASES[attribute](value)
        for attribute, value in pairs
        if attribute != "name" and rng.random() >= made.omits
    ]
    if rng.random() < made.adds:
        said.append("has live music")
    return made.joined(name, said)


PHRASES: dict[str, Callable[[str], str]] = {
    "eatType": lambda kind: f"is a {kind}",
    "food": lambda food: f"serves {food} food",
    "priceRange": lambda price: f"has {price} prices",
    "customer rating": lambda rating: f"has a rating that is {rating}",
    "area": lambda area: "lies by the river" if area == "riverside" else "lies in the city centre",
    "familyFriendly": lambda yes: "welcomes children" if yes == "yes" else "is for adults only",
    "near": lambda near: f"can be found near {near}",
}


def _one_sentence(name: str, said: list[str]) -> str:
    if len(said) < 2:
        return f"{name} {''.join(said) or 'is there'}."
    return f"{name} {', '.join(said[:-1])} and {said[-1]}."


def _many_sentences(name: str, said: list[str]) -> str:
    return " ".join(f"{name if place == 0 else 'It'} {words}." for place, words in enumerate(said))


def _repeating(name: str, said: list[str]) -> str:
    return " ".join(f"{name} {words}." for words in said) or f"{name}."


def _telegraphic(name: str, said: list[str]) -> str:
    return f"{name} : {' , '.join(words.split(maxsplit=1)[1] for words in said)} ."


STYLES = (_one_sentence, _many_sentences, _repeating, _telegraphic)
SYSTEM_NAMES = (
    *("Aster", "Birch", "Cedar", "Dahlia", "Elder", "Fern", "Gorse"),
    *("Hazel", "Iris", "Juniper", "Kapok", "Larch", "Maple", "Nettle"),
    *("Oleander", "Poplar", "Quince", "Rowan", "Sorrel", "Tansy", "Ulex"),
)
# From careful to careless, in each of the styles.
SYSTEMS = {
    name: MadeUpSystem(
        omits=0.02 * place, adds=0.02 * (20 - place if place % 3 else place), joined=style
    )
    for place, name in enumerate(SYSTEM_NAMES)
    for style in [STYLES[place % len(STYLES)]]
}
