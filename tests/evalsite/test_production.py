"""The production shape: what its browsers get, and that its containers' parts are real."""

import json
import re
import subprocess
import sys
from pathlib import Path, PurePath

import pytest
import yaml

from evalsite.embedded import PROJECT, Servers
from evalsite.run import PROCESSES, WORKER_ALONE
from tests.evalsite.image import copied_files
from tests.evalsite.processes import run
from tests.live import LiveSite

COMPOSE = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
OURS = ("migrate", "web", "worker", "beat")

VISIT = """
import json, django, evalsite; django.setup()
from django.test import Client
client = Client(headers={"host": "evaluation.example.org"})
plain = client.get("/login/")
script = client.get("/api/v1/campaigns/", headers={"authorization": "Token abc"})
secure = client.get("/login/", secure=True)
stranger = Client(headers={"host": "elsewhere.example.org"}).get("/healthz/", secure=True)
print(json.dumps({
    "redirected to": plain.headers.get("Location"),
    "script": [script.status_code, script.text],
    "headers": dict(secure.headers),
    "cookies": {name: dict(cookie) for name, cookie in secure.cookies.items()},
    "probe": client.get("/healthz/").status_code, "stranger": stranger.status_code,
}))
"""


@pytest.fixture(scope="module")
def visit(servers: Servers, collected_files: Path) -> dict:
    """What one browser meets on a site with production settings."""
    visited = run(["-c", VISIT], servers, STATIC_FOLDER=str(collected_files))
    assert visited.returncode == 0, visited.stderr
    return json.loads(visited.stdout)


def test_everything_but_the_probes_moves_to_https(visit: dict):
    assert visit["redirected to"] == "https://evaluation.example.org/login/"
    assert visit["probe"] == 200
    assert visit["headers"]["Strict-Transport-Security"] == "max-age=31536000"


def test_a_script_without_https_is_refused_and_not_redirected(visit: dict):
    status, said = visit["script"]
    assert status == 403 and "sent in the open" in said


def test_a_host_that_is_not_ours_is_refused(visit: dict):
    assert visit["stranger"] == 400


def test_cookies_are_bound_to_host_and_https(visit: dict):
    cookie = visit["cookies"]["__Host-csrf"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_below_a_prefix_cookies_are_for_that_path_and_probes_need_no_https(
    visit: dict, servers: Servers, collected_files: Path
):
    static = str(collected_files)
    visited = run(["-c", VISIT], servers, PATH_PREFIX="/rankme/", STATIC_FOLDER=static)
    below = json.loads(visited.stdout)
    assert below["redirected to"] == "https://evaluation.example.org/rankme/login/"
    assert below["probe"] == 200
    # Browsers take a name with "__Host-" only for the path "/".
    cookie = below["cookies"]["__Secure-csrf"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/rankme", "")


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
        # One goes when its work is done, the other has no port: when it ends, it is started again.
        assert watched or name in {"migrate", "beat"}, name
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert "HEALTHCHECK" in (PROJECT / "Dockerfile").read_text()


def test_no_worker_listens_to_others():
    unit = (PROJECT / "deploy/systemd/rankme-worker.service").read_text()
    for command in (" ".join(COMPOSE["services"]["worker"]["command"]), unit, PROCESSES["worker"]):
        assert re.search(rf" worker .*{WORKER_ALONE}", command), command


def test_what_the_containers_are_told_is_in_the_example():
    example = set(re.findall(r"^#? ?([A-Z_]+)=", (PROJECT / ".env.example").read_text(), re.M))
    files = [PROJECT / "docker-compose.yml", *(PROJECT / "deploy").glob("*.yml")]
    asked = {name for file in files for name in re.findall(r"\$\{([A-Z_]+)", file.read_text())}
    assert asked <= example
    assert asked >= {"POSTGRES_PASSWORD", "SITE_DATABASE_PASSWORD", "REDIS_PASSWORD"}


def test_no_container_starts_with_a_password_that_nobody_chose():
    """`${NAME:?…}` refuses an empty value too, and the example has no other."""
    compose = (PROJECT / "docker-compose.yml").read_text()
    example = (PROJECT / ".env.example").read_text()
    for name in set(re.findall(r"\$\{(\w*PASSWORD)", compose)):
        assert set(re.findall(rf"\$\{{{name}(..)", compose)) == {":?"}, name
        assert re.search(rf"^{name}= *(#.*)?$", example, re.M), name


def test_only_the_migration_knows_the_owner_of_the_database():
    owner = COMPOSE["services"]["migrate"]["environment"]["DATABASE_OWNER_URL"]
    assert owner.startswith("postgresql://rankme:${POSTGRES_PASSWORD")
    for name in ("web", "worker", "beat"):
        told = COMPOSE["services"][name]["environment"]
        assert "DATABASE_OWNER_URL" not in told
        assert told["POSTGRES_PASSWORD"] == "", "env_file would hand on the owner's password"
        assert told["DATABASE_URL"].startswith("postgresql://rankme_site:")


def test_the_broker_has_a_password_and_every_address_uses_it():
    redis = COMPOSE["services"]["redis"]
    assert redis["command"][-2] == "--requirepass"
    assert redis["command"][-1] == redis["environment"]["REDISCLI_AUTH"]
    for name in OURS:
        assert "://:${REDIS_PASSWORD" in COMPOSE["services"][name]["environment"]["REDIS_URL"]


NEEDED_TO_DROP_RIGHTS = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_container_can_do_no_more_than_it_must(name: str):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.search(r"\d+[mg]\b", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert "privileged" not in service
    added = set(service.get("cap_add", []))
    assert added <= (set() if name in OURS else NEEDED_TO_DROP_RIGHTS)
    writable = [volume.rpartition(":")[2] for volume in service.get("volumes", [])]
    assert "/tmp" in writable + service.get("tmpfs", [])
    assert service["logging"]["options"]["max-size"]


def test_every_image_can_be_pinned_to_a_digest():
    dockerfile = (PROJECT / "Dockerfile").read_text()
    assert re.findall(r"^FROM (.*)", dockerfile, re.M) == ["${PYTHON_IMAGE}"]
    for name, service in COMPOSE["services"].items():
        assert name in OURS or re.fullmatch(r"\$\{\w+_IMAGE:-[\w/]+:\d+\}", service["image"])
        assert name not in OURS or "PYTHON_IMAGE" in service["build"]["args"]


def test_the_image_holds_no_tests(tmp_path):
    content = copied_files(tmp_path)
    folders = {PurePath(name).parts[0] for name in content if "/" in name}
    served = {"docs", "locale", "static", "templates"}
    assert folders == {"analysis", "evalsite", "rankme"} | served


def test_nothing_waits_for_a_service_that_is_not_there():
    volumes = set(COMPOSE["volumes"])
    for name, service in COMPOSE["services"].items():
        assert set(service.get("depends_on", {})) <= set(COMPOSE["services"]), name
        mounted = {volume.partition(":")[0] for volume in service.get("volumes", [])}
        assert {each for each in mounted if each[0] not in "./$"} <= volumes, name
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
        assert all((PROJECT / each).exists() for each in mounted if each[:2] == "./"), name


def test_web_servers_and_workers_can_be_many():
    """No port and no scratch folder is one container's alone, and each may end in order."""
    for name, seconds in {"web": 30, "worker": 0}.items():
        service = COMPOSE["services"][name]
        assert not {"ports", "container_name", "hostname"} & set(service), name
        assert "/tmp" in service["volumes"], "a named volume would be shared"
        assert int(service["stop_grace_period"].removesuffix("s")) > seconds


def test_the_proxy_reaches_web_servers_and_nothing_else():
    of = {name: set(service["networks"]) for name, service in COMPOSE["services"].items()}
    assert {name for name in of if of[name] & of["proxy"]} == {"proxy", "web"}
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name in ("postgresql", "redis"):
        assert of[name] == {"inside"}, "it could call strangers"


class Override(yaml.SafeLoader):
    """Reads `!reset`, by which a file takes something away from the one before it."""


Override.add_constructor("!reset", lambda loader, node: None)


@pytest.mark.parametrize("path", sorted((PROJECT / "deploy").glob("*.yml")), ids=lambda p: p.name)
def test_an_override_changes_services_and_networks_that_exist(path: Path):
    changes = yaml.load(path.read_text(), Override)["services"]
    assert set(changes) <= set(COMPOSE["services"])
    for name, service in changes.items():
        networks = set((service or {}).get("networks", []))
        assert networks <= set(COMPOSE["networks"]), name
        told = (service or {}).get("environment", {})
        assert set(told) <= {"DATABASE_URL", "DATABASE_OWNER_URL"}


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_systemd_starts_what_compose_starts(name: str):
    unit = (PROJECT / f"deploy/systemd/rankme-{name}.service").read_text()
    command = re.search(r"ExecStart=/opt/rankme/now/venv/bin/(.*)", unit)[1]
    in_image = COMPOSE["services"][name].get("command") or json.loads(
        re.search(r"^CMD (.*)", (PROJECT / "Dockerfile").read_text(), re.M)[1]
    )
    assert command.split() == in_image
    assert "Restart=always" in unit and "DATABASE_OWNER_URL" not in unit
