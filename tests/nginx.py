"""The proxy of docker-compose.yml, as it is committed, before a site under test."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsite.embedded import PROJECT
from tests.live import free_port, reachable_folder, wait_for

CONFIGURATION = PROJECT / "nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
CERTIFICATE = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost"


def write_configuration(folder: Path, port: int, site: int, changes: dict[str, str]) -> Path:
    """Write the committed file with other ports, folders and (to save time) limits."""
    text = CONFIGURATION.read_text()
    ours = {
        "listen 8080;": f"listen 127.0.0.1:{port};",
        "server web:8000;": f"server 127.0.0.1:{site};",
        "/etc/nginx/tls/": f"{folder}/tls/",
        "/tmp/": f"{folder}/",
        "error_log stderr": f"error_log {folder}/log",
    }
    ours |= changes
    assert all(old in text for old in ours)
    # In one go: a folder's name may contain what is replaced.
    text = re.sub("|".join(map(re.escape, ours)), lambda found: ours[found[0]], text)
    file = folder / "nginx.conf"
    file.write_text(text)
    return file


def write_tls(folder: Path, port: int) -> None:
    """What docs/deployment.md says to put into the folder `tls`, with a certificate of our own."""
    (folder / "tls").mkdir()
    key, certificate = folder / "tls/privkey.pem", folder / "tls/fullchain.pem"
    command = [*CERTIFICATE.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "tls/site.conf").write_text(
        f"listen 127.0.0.1:{port} ssl http2;\n"
        f"ssl_certificate {certificate};\nssl_certificate_key {key};\n"
    )


@contextlib.contextmanager
def proxy_before(
    site: int, *, tls_port: int | None = None, **changes: str
) -> Iterator[tuple[int, Path]]:
    """Start nginx before this port; yield its own port and the folder of its files."""
    if NGINX is None:
        pytest.skip("nginx is not installed: the proxy's configuration was not tried.")
    with reachable_folder("nginx-") as folder:
        port = free_port()
        file = write_configuration(folder, port, site, changes)
        if tls_port:
            write_tls(folder, tls_port)
        owner = "user root; " if os.getuid() == 0 else ""
        command = [NGINX, "-p", str(folder), "-c", str(file), "-g", f"{owner}daemon off;"]
        process = subprocess.Popen(command)
        try:
            has_begun = (folder / "nginx.pid").exists
            wait_for(lambda: process.poll() is not None or has_begun(), "nginx")
            assert process.poll() is None, "nginx refuses its configuration"
            yield port, folder
        finally:
            process.terminate()
            process.wait()
