"""The minimum length of an elicited text, from its input."""

import pytest

from rankme.protocols.files import preset
from rankme.protocols.instruments.base import Refused, Subject
from rankme.protocols.instruments.texts import Text, TextOptions, least_length


def test_the_minimum_of_the_e2e_data_is_the_inputs_length_less_ten_per_attribute():
    """Dušek, Novikova & Rieser (2020), section 3.1, Equation 1."""
    criterion = preset("e2e-elicitation").criterion("text")
    given = "name[The Mill], food[Italian], area[riverside]"  # 46 characters, three attributes
    subject = Subject(item_input=given, item_reference="", factors={})
    assert criterion.tool.clean("The Mill: Italian", criterion.settings, subject)
    with pytest.raises(Refused, match="at least 16"):
        criterion.tool.clean("The Mill Italia", criterion.settings, subject)


def test_a_minimum_is_never_below_the_plain_one():
    options = TextOptions(least=5, least_of_input=1, less_per_attribute=50)
    assert least_length(options, 40, 2) == 5
    assert Text().clean("12345", options, Subject("name[A]", "", {})).text == "12345"
