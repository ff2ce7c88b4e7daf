"""Human evaluation of generated text from scripts and notebooks, over the API of a RankME site.

The package is called `rankme_client` and not `rankme`, because that is the site's own package: who
installs both, as on a laptop with `make run`, would otherwise have one hide the other.
"""

from .campaigns import Campaign, Progress
from .comparing import Panel, compare
from .errors import ApiError, JobFailed, NoSite, Problem, RankmeClientError, SiteAway, StillWaiting
from .reports import Report
from .sites import Site, log_in, resume

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "Campaign",
    "JobFailed",
    "NoSite",
    "Panel",
    "Problem",
    "Progress",
    "RankmeClientError",
    "Report",
    "Site",
    "SiteAway",
    "StillWaiting",
    "compare",
    "log_in",
    "resume",
]
