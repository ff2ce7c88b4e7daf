"""The WSGI application that the web server runs."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

# Django would load the views at the first request, in every process again. Here they are loaded
# before the server forks, so a process that replaces a killed one answers at once.
import evalsite.urls  # noqa: E402, F401
