"""Types that several modules of the site share."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# What a middleware is given and what it becomes: everything that comes after it.
GetResponse = Callable[[HttpRequest], HttpResponseBase]
