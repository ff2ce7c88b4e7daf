"""Headers of static files. They are short, because a rater's first screen needs 40 files."""

from wsgiref.headers import Headers

ISOLATION = {
    # Together with COOP these isolate the page, and an isolated page has a 5 µs clock.
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# A browser applies this to a document that somebody opens directly, as an SVG. Such a file loads
# nothing, runs nothing and is shown in no frame. Scripts and styles are shown as their text.
POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
NO_DOCUMENTS = (".js", ".css", ".woff2")


def set_file_headers(headers: Headers, path: str, url: str) -> None:
    """What WhiteNoise adds to a file. SecurityMiddleware adds the rest."""
    for name, value in ISOLATION.items():
        headers[name] = value
    if not path.endswith(NO_DOCUMENTS):
        headers["Content-Security-Policy"] = POLICY
