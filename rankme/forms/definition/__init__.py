"""The campaign file as a web form: drawn from the document, read back into the same document.

The form follows the pydantic models of `rankme.protocols.definition`, so an instrument, a design
or a setting that is added there appears here automatically; only its wording is written by hand.
"""

from .differing import differences
from .drawing import draw_form
from .following import name_the_nameless
from .freezing import frozen_form
from .reading import read_form
from .reshaping import change_shape
from .settings import Document

__all__ = [
    "Document",
    "change_shape",
    "differences",
    "draw_form",
    "frozen_form",
    "name_the_nameless",
    "read_form",
]
