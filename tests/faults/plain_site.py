"""The site's Celery application with reports without pictures, which no test of faults looks at.

To draw them would take most of the time of every small analysis here.
"""

import django

django.setup()

from analysis.report import rendered  # noqa: E402
from evalsite.celery import app  # noqa: E402, F401

rendered.PLOT_FORMATS = ()
