"""Cint and panels like it: an id in, and another return address for each outcome.

The marketplace gives three addresses, for complete, screen-out and quota-full. They belong in the
campaign's `return_urls`, with `{id}` or `{session}` where the marketplace has its placeholder.
"""

from .base import Panel

CINT = Panel(
    name="cint",
    id_parameter="PID",
    session_parameter="RID",
    return_url="",
    is_platform=True,
    needs_code=False,
)
