"""Simulated campaigns of a planned size, which check the planner's formulas: made by a worker.

The result depends on the size and the spreads alone: everybody who asks for the same finds it.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from analysis.errors import AnalysisError
from analysis.planning.simulated import MOST_JUDGEMENTS, SimulatedProspect, simulate
from analysis.planning.sizes import Size, Spreads
from rankme.actions.passing_store import ask_store, send_once

TASK = "rankme.tasks.simulate_plan"
KEPT_FOR = timedelta(hours=6)
# A worker that says nothing for so long is gone.
SILENT_FOR = timedelta(minutes=5)
MOST_CAMPAIGNS, LEAST_CAMPAIGNS = 2_000, 100
# Judgements of all simulated campaigns together: some minutes of a worker.
MOST_WORK = 200_000_000
SECONDS_BETWEEN_NOTES = 1.0


def campaigns_for(size: Size) -> int:
    """Count the campaigns that can be simulated in minutes; 0 for a size that is too large."""
    judgements = size.judgements_of_a_system * size.systems
    number = min(int(MOST_WORK / judgements), MOST_CAMPAIGNS)
    return number if number >= LEAST_CAMPAIGNS and judgements <= MOST_JUDGEMENTS else 0


def start_simulation(size: Size, spreads: Spreads) -> None:
    """Let a worker simulate campaigns, unless one does or has done so.

    Raises
    ------
    RefusedAction : no worker can be reached
    """
    if simulation_of(size, spreads).get("status") in ("working", "done"):
        return
    key = _key(size, spreads)
    _tell(key, status="working", share=0.0)
    send_once(TASK, key, asdict(size), asdict(spreads))


def simulation_of(size: Size, spreads: Spreads) -> dict[str, Any]:
    """How far the simulation of this size is, with its `result`; empty where nobody asked.

    Raises
    ------
    RefusedAction : Valkey is away
    """
    found = ask_store(lambda store: store.get(_key(size, spreads)))
    state = dict(json.loads(found)) if found else {}
    if "result" in state:
        state["result"] = SimulatedProspect(**state["result"])
    return state


def execute(key: str, size: dict[str, Any], spreads: dict[str, Any]) -> None:
    """Simulate, and keep the result for some hours."""
    told = time.monotonic()

    def progress(share: float) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN_NOTES:
            told = time.monotonic()
            _tell(key, status="working", share=round(share, 2))

    asked = Size(**size)
    try:
        found = simulate(
            asked, Spreads(**spreads), campaigns=campaigns_for(asked), progress=progress
        )
    except AnalysisError as error:
        _tell(key, status="failed", error=str(error))
    else:
        _tell(key, status="done", result=asdict(found))


def _tell(key: str, **state: Any) -> None:
    kept = SILENT_FOR if state["status"] == "working" else KEPT_FOR
    ask_store(lambda store: store.set(key, json.dumps(state), ex=kept))


def _key(size: Size, spreads: Spreads) -> str:
    asked = json.dumps([asdict(size), asdict(spreads)], sort_keys=True)
    return f"rankme:plan:{hashlib.sha256(asked.encode()).hexdigest()}"
