"""The site with one answer of unknown length and one large one, for gunicorn."""

from evalsite.wsgi import application as site
from evalsite.wsgi import without_bodies_for_head

LARGE = 64 * 2**20


def application(environ, start_response):
    is_more = environ["PATH_INFO"] in ("/streams/", "/large/")
    return (more if is_more else site)(environ, start_response)


@without_bodies_for_head
def more(environ, start_response):
    if environ["PATH_INFO"] == "/streams/":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return iter([b"first\n", b"second\n"])
    start_response("200 OK", [("Content-Length", str(LARGE))])
    return [bytes(LARGE)]
