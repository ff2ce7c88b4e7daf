"""The fields of the pydantic models as settings: enough to draw an input and to read it."""

from __future__ import annotations

import types
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rankme.designs.registry import DESIGNS
from rankme.panel_links import PANELS
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.definition import Definition
from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.parts import Labels
from rankme.protocols.screens import BLOCKS, DIALOGUE_BLOCKS, FILE_BLOCKS, IN_MARKDOWN

Document = dict[str, Any]

# Choices of a field that is a plain string in the model, but one of a registry's names.
NAMES: dict[str, Any] = {
    "CriterionSpec.instrument": INSTRUMENTS,
    "BlockSpec.block": BLOCKS,
    "DesignSpec.kind": DESIGNS,
    "Crowd.panel": PANELS,
    "CheckSpec.kind": CHECK_KINDS,
}
# Texts that need several lines, by their names; `ShowIf.question` is the name of another question.
LONG_TEXTS = {
    "question", "description", "consent", "instructions", "thanks", "feedback", "context", "input",
    "output", "reference", "text", "hypotheses",
}  # fmt: skip
SHORT_TEXTS = {"ShowIf.question"}
# When these change, other fields are asked for.
SWITCHES = {"CriterionSpec.instrument", "DesignSpec.kind", "CheckSpec.kind", "BlockSpec.block"}
ENDS = {"CriterionSpec.low", "CriterionSpec.high"}
ONLY_FOR_BLOCKS = {
    "BlockSpec.text": ("text",),
    "BlockSpec.format": IN_MARKDOWN,
    **dict.fromkeys(("BlockSpec.judged_turn", "BlockSpec.markdown_turns"), DIALOGUE_BLOCKS),
    **dict.fromkeys(("BlockSpec.files", "BlockSpec.play_to_end"), FILE_BLOCKS),
    **dict.fromkeys(("BlockSpec.layout", "BlockSpec.difference"), ("outputs",)),
    **dict.fromkeys(
        ("BlockSpec.shuffle", "BlockSpec.pictorial", "BlockSpec.pictorial_share"), ("input",)
    ),
}
WRITTEN_BY_THE_SITE = ("format", "material")
KINDS_OF_OPTIONS = {bool: "tick", int: "number", str: "long"}
FIRST_INSTRUMENT, FIRST_DESIGN, FIRST_CHECK = "slider", "random_blocks", "repeat"


@dataclass(frozen=True)
class Setting:
    """A field of a model: enough to draw it and to read it."""

    key: str  # "Model.field"
    name: str
    kind: str
    default: Any = None
    nullable: bool = False
    may_be_absent: bool = False  # an option that is left out keeps its instrument's default
    part: type[BaseModel] | None = None
    choices: tuple[tuple[str, Any], ...] = ()
    title: Any = ""
    hint: Any = ""

    @property
    def is_named(self) -> bool:
        """Whether its choices are a registry's names, each with a sentence."""
        return self.key in NAMES and self.key != "Crowd.panel"


def settings_of(model: type[BaseModel]) -> list[Setting]:
    """The settings of a model, with the names that the registries have now."""
    return [
        replace(setting, choices=_named(setting.key)) if setting.key in NAMES else setting
        for setting in _settings_of(model)
    ]


@cache
def _settings_of(model: type[BaseModel]) -> list[Setting]:
    """Cached: a form reads this about 100 times."""
    return [
        _setting(model, name, info)
        for name, info in model.model_fields.items()
        if model is not Definition or name not in WRITTEN_BY_THE_SITE
    ]


def _setting(model: type[BaseModel], name: str, info: FieldInfo) -> Setting:
    key = f"{model.__name__}.{name}"
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    about: dict[str, Any] = {
        "key": key,
        "name": name,
        "default": default,
        "title": title_from(info.title, name),
        "hint": gettext_lazy(info.description) if info.description else "",
    }
    if key in NAMES:
        return Setting(kind="choice", **about)
    if key in ("CriterionSpec.options", "DesignSpec.options", "CheckSpec.options"):
        return Setting(kind="options", **about)
    shape = _shape(info.annotation, name)
    if key in SHORT_TEXTS:
        shape["kind"] = "text"
    for labels in info.metadata:
        if isinstance(labels, Labels):
            shape["choices"] = tuple((value, gettext_lazy(text)) for value, text in labels.items())
    return Setting(**about, **shape)


def title_from(title: str | None, name: str) -> Any:
    """A setting's label; of a package's setting without one, its name."""
    return gettext_lazy(title or name.replace("_", " ").capitalize())


def _shape(annotation: Any, name: str) -> dict[str, Any]:
    """The kind of input that a type asks for."""
    nullable = False
    if get_origin(annotation) in (Union, types.UnionType):
        others = [part for part in get_args(annotation) if part is not type(None)]
        nullable, annotation = len(others) < len(get_args(annotation)), others[0]
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        choices = tuple((str(value), str(value)) for value in arguments)
        return {"kind": "choice", "choices": choices, "nullable": nullable}
    if origin is list and _is_part(arguments[0]):
        return {"kind": "several", "part": arguments[0]}
    if origin is list and arguments[0] is str:
        return {"kind": "lines"}
    if (origin is dict and arguments in ((str, str), (str, float))) or _counts(arguments):
        return {"kind": "pairs"}
    if _is_part(annotation):
        return {"kind": "group", "part": annotation, "nullable": nullable}
    plain = {bool: "tick", int: "number", float: "number"}
    if annotation is str:
        return {"kind": "long" if name in LONG_TEXTS else "text", "nullable": nullable}
    return {"kind": plain.get(annotation, "yaml"), "nullable": nullable}


def _counts(arguments: tuple[Any, ...]) -> bool:
    """Whether a mapping leads from names to whole numbers within bounds."""
    return arguments[:1] == (str,) and get_args(arguments[1])[:1] == (int,)


def _is_part(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _named(key: str) -> tuple[tuple[str, str], ...]:
    """A registry's names, with each entry's title; a panel is known by its name."""
    if key == "Crowd.panel":
        return tuple((name, name) for name in NAMES[key])
    titles = {
        name: entry if isinstance(entry, str) else entry.title for name, entry in NAMES[key].items()
    }
    return tuple(
        (name, f"{gettext(title).removesuffix('.')} ({name})") for name, title in titles.items()
    )


def applies(setting: Setting, document: Document) -> bool:
    """Tell whether a setting has a meaning for the chosen instrument or block.

    One that has a value is shown anyway, so that the form shows why it is refused.
    """
    if document.get(setting.name, setting.default) != setting.default:
        return True
    if setting.key in ENDS:
        instrument = INSTRUMENTS.get(document.get("instrument", FIRST_INSTRUMENT))
        return instrument is None or instrument.has_ends
    blocks = ONLY_FOR_BLOCKS.get(setting.key)
    return blocks is None or document.get("block") in (None, "", *blocks)


def option_settings(owner: str, document: Document) -> list[Setting]:
    """The options of the instrument, check or design that the document chose."""
    chosen: Any = None
    if owner == "CriterionSpec":
        chosen = INSTRUMENTS.get(document.get("instrument", FIRST_INSTRUMENT))
    elif owner == "CheckSpec":
        chosen = CHECK_KINDS.get(document.get("kind", FIRST_CHECK))
    if owner != "DesignSpec":
        return [
            replace(setting, may_be_absent=True)
            for setting in (settings_of(chosen.Options) if chosen else ())
        ]
    design = DESIGNS.get(document.get("kind", FIRST_DESIGN))
    return [
        Setting(
            key=f"DesignSpec.options.{option.name}",
            name=option.name,
            kind=KINDS_OF_OPTIONS[option.type],
            default=option.default,
            title=title_from(option.title, option.name),
            hint=gettext_lazy(option.help),
            may_be_absent=True,
        )
        for option in (design.options if design else ())
    ]
