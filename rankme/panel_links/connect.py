"""CloudResearch Connect: three ids in, a redirect to the project's own page out.

The project's id is filled into the panel's own return address. A project that pays by a fixed code
has it as the campaign's completion code.

CloudResearch says that this address is only for people who have done everything. People who are
screened out or fail checks go to an address of the project's "partial completes" (help articles
5046202939796 and 26632727446548), which belongs in the campaign's `return_urls`.
"""

from .base import Panel

CONNECT = Panel(
    name="connect",
    id_parameter="participantId",
    session_parameter="assignmentId",
    study_parameter="projectId",
    return_url="https://connect.cloudresearch.com/participant/project/{study}/complete",
    hosts=frozenset({"connect.cloudresearch.com"}),
    is_platform=True,
    needs_code=False,
    paying_address=r"/participant/project/[^/]+/complete/?",
)
