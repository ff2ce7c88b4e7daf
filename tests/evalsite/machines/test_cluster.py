"""A short run of benchmarks/chaos.py: thirty of its faults, in the order that it always has."""

import os

import pytest

from tests.live import run_python

SHORT = (
    "--acknowledged 200 --faults 30 --raters 20 --screens 10 --seconds-per-screen 0.5"
    " --every 0.2 --longest 1.5 --judgements 1000 --patience 240"
)


@pytest.mark.slow
@pytest.mark.skipif("CLUSTER" not in os.environ, reason="Takes minutes: make cluster-test")
def test_machines_that_are_killed_and_cut_off_lose_nothing_and_compute_the_same():
    elsewhere = {"DATABASE_URL", "REDIS_URL", "DATA_FOLDER", "DJANGO_SETTINGS_MODULE"}
    own = {name: value for name, value in os.environ.items() if name not in elsewhere}
    done = run_python(["benchmarks/chaos.py", *SHORT.split()], own, seconds=900)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:]
    assert "Nothing lost, nothing doubled, nothing different." in done.stdout
