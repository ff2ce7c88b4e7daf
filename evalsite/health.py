"""The health check of a container: it runs every few seconds, and so loads nothing of the site."""

import os
import sys
import urllib.request


def main() -> int:
    """Request this container's own health page, for its health check."""
    address = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/healthz/"
    host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip(".")
    request = urllib.request.Request(address, headers={"Host": host})
    with urllib.request.urlopen(request, timeout=4) as answer:
        return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
