"""Every preset is found under what somebody wants to do, six common ones first."""

from rankme.protocols.files import preset_names
from rankme.protocols.presets.groups import MOST_COMMON, grouped_presets


def test_every_preset_is_in_one_group_and_six_are_common():
    groups = dict(grouped_presets(preset_names()))
    assert sorted(name for names in groups.values() for name in names) == sorted(preset_names())
    assert len(groups[MOST_COMMON]) == 6 and "Others" not in groups


def test_a_preset_of_no_group_is_shown_at_the_end():
    assert list(grouped_presets(["esa", "new-one"])) == [
        (MOST_COMMON, ["esa"]),
        ("Others", ["new-one"]),
    ]
