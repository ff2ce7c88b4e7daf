"""The production shape: what its browsers get, and that its containers' parts are real."""

import json
import re
import subprocess
import sys

import pytest
import yaml

from evalsite.embedded import PROJECT, Servers
from tests.evalsite.test_safety import run
from tests.live import LiveSite

COMPOSE = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
OURS = ("migrate", "web", "worker", "beat")

VISIT = """
import json, django, evalsite; django.setup()
from django.test import Client
client = Client(headers={"host": "evaluation.example.org"})
plain = client.get("/login/")
secure = client.get("/admin/login/", secure=True)
stranger = Client(headers={"host": "elsewhere.example.org"}).get("/healthz/", secure=True)
print(json.dumps({
    "redirected to": plain.headers.get("Location"), "headers": dict(secure.headers),
    "cookies": {name: dict(cookie) for name, cookie in secure.cookies.items()},
    "probe": client.get("/healthz/").status_code, "stranger": stranger.status_code,
}))
"""


@pytest.fixture(scope="module")
def visit(servers: Servers) -> dict:
    """What one browser meets on a site with production settings."""
    static = {"STATIC_FOLDER": str(servers.folder / "production-static")}
    collected = run(["manage.py", "collectstatic", "--no-input"], servers, **static)
    assert collected.returncode == 0, collected.stderr
    visited = run(["-c", VISIT], servers, **static)
    assert visited.returncode == 0, visited.stderr
    return json.loads(visited.stdout)


def test_everything_but_the_probes_moves_to_https(visit: dict):
    assert visit["redirected to"] == "https://evaluation.example.org/login/"
    assert visit["probe"] == 200
    assert visit["headers"]["Strict-Transport-Security"] == "max-age=31536000"


def test_a_host_that_is_not_ours_is_refused(visit: dict):
    assert visit["stranger"] == 400


def test_cookies_are_bound_to_host_and_https(visit: dict):
    cookie = visit["cookies"]["__Host-csrf"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_the_containers_health_check_tells_a_living_web_server_from_none(live_site: LiveSite):
    knock = [sys.executable, "-m", "evalsite.health"]
    assert subprocess.run(knock, cwd=PROJECT, env=live_site.environment).returncode == 0
    live_site.stop_web()
    silent = subprocess.run(knock, cwd=PROJECT, env=live_site.environment, capture_output=True)
    assert silent.returncode != 0


def test_every_container_is_watched_and_comes_back():
    for name, service in COMPOSE["services"].items():
        watched_by_image = name in OURS and not service.get("healthcheck", {}).get("disable")
        watched = service.get("healthcheck", {}).get("test") or watched_by_image
        # One goes when its work is done, the other has no door: when it ends, it is started again.
        assert watched or name in {"migrate", "beat"}, name
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert "HEALTHCHECK" in (PROJECT / "Dockerfile").read_text()


def test_what_the_containers_are_told_is_in_the_example():
    example = set(re.findall(r"^#? ?([A-Z_]+)=", (PROJECT / ".env.example").read_text(), re.M))
    asked = set(re.findall(r"\$\{([A-Z_]+)", (PROJECT / "docker-compose.yml").read_text()))
    assert asked <= example
    assert asked >= {"POSTGRES_PASSWORD"}


def test_nothing_waits_for_a_service_that_is_not_there():
    volumes = set(COMPOSE["volumes"])
    for name, service in COMPOSE["services"].items():
        assert set(service.get("depends_on", {})) <= set(COMPOSE["services"]), name
        assert {volume.partition(":")[0] for volume in service.get("volumes", [])} <= volumes, name


def test_the_example_as_it_stands_is_refused(servers: Servers):
    lines = (PROJECT / ".env.example").read_text().splitlines()
    example = dict(re.match(r"([A-Z_]+)=(\S*)", line).groups() for line in lines if line[:1] > "#")
    started = run(["-c", "import evalsite.settings"], servers, **example)
    assert started.returncode != 0
    assert "SECRET_KEY is a published example" in started.stderr
