"""The official HEDS form, where this machine has it: it has no licence to be copied."""

import pytest

from tests.sources import PROJECT

FORM = PROJECT.parent / "shared/data/heds-3.0"
needs_the_form = pytest.mark.skipif(not FORM.is_dir(), reason="The HEDS form is not here.")
