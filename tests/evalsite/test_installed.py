"""The package and the image as they are shipped: read-only code, another account, no home.

An organiser walks a campaign in French, of whose texts the site knows none, from its file to its
published report, over HTTP. Then every link is followed.
"""

import contextlib
import os
import pwd
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from evalsite.embedded import PROJECT, Servers
from evalsite.run import MARK
from rankme.protocols.files import preset_names
from tests.evalsite.image import COMPOSE, Image
from tests.evalsite.processes import SAFE
from tests.evalsite.proxy import prefix_proxy
from tests.evalsite.started import Run, environment_of, install_wheel, new_run, said
from tests.evalsite.visitor import Answer, Visitor
from tests.live import free_port, reachable_folder, wait_for

pytestmark = pytest.mark.slow

# What runs the site may read the code but not change it, and has no home.
ACCOUNT = pwd.getpwnam("nobody").pw_uid
NO_HOME = "/nonexistent"
RESTAURANTS = PROJECT / "rankme/demonstration/restaurants"
GREETING = "J'accepte de participer"
RATERS = 12
LAST_WORDS = 10_000


def as_account() -> dict[str, object]:
    """Return what starts a process under the other account, where this one may do that."""
    if os.geteuid() != 0:
        return {}
    return {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []}


def close_folder(folder: Path) -> None:
    """Let everybody read the code, and nobody change it."""
    subprocess.run(["chmod", "-R", "a+rX,a-w", str(folder)], check=True)


def open_folder(folder: Path) -> None:
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)


@dataclass
class Shipped:
    """A running site, an organiser who is logged in, and the way to run its commands."""

    visitor: Visitor
    command: Callable[..., str]


# --- The wheel ---------------------------------------------------------------------------------


class InstalledRun(Run):
    def start(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.command, cwd="/", env=self.environment, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, **as_account(),
            )  # fmt: skip


@pytest.fixture(scope="module")
def wheel() -> Iterator[Shipped]:
    with reachable_folder("rankme-wheel-") as made, new_run() as plain:
        code = made.resolve() / "installed"
        install_wheel(code)
        close_folder(code)
        run = InstalledRun(plain.folder)
        run.folder = plain.folder / "data"
        run.folder.mkdir(mode=0o711)
        if os.geteuid() == 0:
            os.chown(run.folder, ACCOUNT, ACCOUNT)
        run.log = plain.folder / "run.log"
        run.take_the_wheel(code)
        run.environment = environment_of(code, HOME=NO_HOME, **run.own())

        def command(*arguments: str) -> str:
            return subprocess.check_output(
                [sys.executable, str(code / "bin" / "rankme"), "manage", *arguments],
                cwd="/", env=run.environment, text=True, **as_account(),
            )  # fmt: skip

        run.start()
        try:
            run.wait_until_up()
            wait_for(run.is_ready, "the site")
            visitor = Visitor(run.url)
            log_in(visitor, "organiser", said(run.text(), "Password"))
            yield Shipped(visitor, command)
        finally:
            if run.process.poll() is None:
                run.press_ctrl_c()
                run.wait_until_gone()
            Servers(run.folder).stop()
            open_folder(code)


# --- The image ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def image() -> Iterator[Shipped]:
    """Build the image with its locked packages, and start its containers as compose does."""
    with reachable_folder("rankme-image-") as made:
        folder = made.resolve()
        built = Image(folder)
        servers = Servers(folder / "servers")  # durable ones: production refuses others
        try:
            built.build()
            with servers.running():
                open_sockets(servers)
                yield from started_image(servers, built)
        finally:
            built.close()


def open_sockets(servers: Servers) -> None:
    """Let the image's account in, as the network of the containers does."""
    for folder in (servers.postgresql.sockets, servers.valkey.sockets):
        folder.chmod(0o711)
        for path in folder.iterdir():
            path.chmod(0o777)


def started_image(servers: Servers, built: Image) -> Iterator[Shipped]:
    port = free_port()
    with prefix_proxy(port, "", ends_tls=True) as proxy:
        environment = built.environment | SAFE | {
            "DATABASE_URL": servers.postgresql.url, "REDIS_URL": servers.valkey.url,
            "HOST": "127.0.0.1", "PORT": str(port), "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_URL": proxy.secure_url, "BEHIND_TLS_PROXY": "true", MARK: str(servers.folder),
            "ALIVE_FILE": COMPOSE["services"]["worker"]["environment"]["ALIVE_FILE"],
        }  # fmt: skip

        def printed(name: str, command: list[str], **more: str) -> str:
            line = built.service_line(name, command, servers.folder)
            return subprocess.check_output(line, env=environment | more, text=True)

        def command(*arguments: str) -> str:
            return printed("web", ["python", "manage.py", *arguments])

        owner = {"DATABASE_OWNER_URL": servers.postgresql.owner_url}
        printed("migrate", built.command_of("migrate"), **owner)
        password = said(command("organiser", "organiser"), "Password")
        with running_containers(built, servers.folder, environment) as all_run:
            direct = Visitor(f"http://127.0.0.1:{port}")
            wait_for(lambda: all_run() or answers(direct), "the image's web server")
            visitor = Visitor(proxy.url)
            log_in(visitor, "organiser", password)
            yield Shipped(visitor, command)
            for name in ("web", "worker"):
                printed(name, built.health_command(name))


@contextlib.contextmanager
def running_containers(
    built: Image, shared: Path, environment: dict[str, str]
) -> Iterator[Callable[[], None]]:
    """Run web server, worker and beat; yield what makes sure that all of them still run."""
    parts = {}
    for name in ("web", "worker", "beat"):
        line = built.service_line(name, built.command_of(name), shared)
        with (built.folder / f"{name}.log").open("wb") as log:
            parts[name] = subprocess.Popen(line, env=environment, stdout=log, stderr=log)

    def make_sure() -> None:
        assert {name: part.poll() for name, part in parts.items()} == dict.fromkeys(parts)

    try:
        yield make_sure
        make_sure()
    finally:
        for part in parts.values():
            part.terminate()
        for name, part in parts.items():
            part.wait()
            said = (built.folder / f"{name}.log").read_text(errors="replace")
            print(f"{name}:\n{said[:LAST_WORDS]}")  # shown where a test fails


def answers(visitor: Visitor) -> bool:
    try:
        return visitor.get("/readyz/").status == 200
    except OSError:
        return False


# --- The walk ----------------------------------------------------------------------------------


def log_in(visitor: Visitor, name: str, password: str) -> None:
    page = visitor.send(visitor.get("/login/"), "password", login=name, password=password)
    assert page.status == 200 and "id_password" not in page.text, page.text


def french_definition() -> str:
    document = yaml.safe_load((RESTAURANTS / "campaign.yaml").read_text(encoding="utf-8"))
    document |= {"language": "fr", "title": "En français"}
    document["words"] = {"I agree to take part": GREETING}
    return yaml.safe_dump(document, allow_unicode=True)


def launched_campaign(site: Visitor) -> str:
    """Take a campaign in French from its file to its launch by the pages; return its code."""
    page = site.send(site.get("/campaigns/new/file/"), "text", files={}, text=french_definition())
    assert page.status == 200, page.text
    code = re.search(r"/campaigns/(\w+)/", page.address)[1]
    edited = site.get(f"/campaigns/{code}/edit/")
    assert edited.status == 200
    assert site.send(edited, "version", do="save", title="Des restaurants").status == 200
    files = {
        "outputs": ("outputs.csv", (RESTAURANTS / "outputs.csv").read_text()),
        "items": ("items.csv", (RESTAURANTS / "items.csv").read_text()),
    }
    upload = site.send(site.get(f"/campaigns/{code}/material/"), "outputs", files=files)
    checked = site.wait_for(upload.address, lambda page: "/take/" in page.text)
    taken = site.send(checked, "/take/")
    site.wait_for(taken.address, lambda page: "/take/" not in page.text)
    launch = f"/campaigns/{code}/launch/"
    site.wait_for(launch, lambda page: 'name="sure"' in page.text)
    launched = site.send(site.get(launch), "csrfmiddlewaretoken", sure="yes")
    assert launched.status == 200 and launched.address.endswith("/links/"), launched.text
    return code


def published_report(site: Visitor, code: str) -> Answer:
    """Ask for an analysis, wait for its report, publish it; return the public page."""
    asked = site.send(
        site.get(f"/campaigns/{code}/analysis/"),
        "runs",
        runs="40",
        criteria=["quality"],
    )
    report = site.wait_for(asked.address, lambda page: "data-over" in page.text)
    assert "/files/" in report.text, report.text[-3000:]
    assert "Bradley–Terry" in report.text, report.text
    for link in re.findall(r'(?:src|href)="([^"]+/files/[^"]+\.(?:svg|pdf|tex|zip))"', report.text):
        assert site.get(link).status == 200, link
    publish = site.get(f"{asked.address}publish/")
    published = site.send(publish, "csrfmiddlewaretoken")
    public = re.search(r'href="([^"]*/reports/[^"]+/)"', published.text)[1]
    return Visitor(site.origin, **site.headers).get(public)


def walk(shipped: Shipped) -> str:
    site = shipped.visitor
    code = launched_campaign(site)
    entry = Visitor(site.origin, **site.headers).get(f"/r/{code}/")
    assert entry.status == 200 and GREETING in entry.text.replace("&#x27;", "'")
    link = f"{site.origin}/r/{code}/?id=w{{n}}"
    shipped.command("simulate_raters", link, "--raters", str(RATERS), "--concurrency", "2")
    public = published_report(site, code)
    assert public.status == 200 and "Aster" in public.text
    return code


def is_worth_a_look(path: str) -> bool:
    """Leave out what logs out, what every campaign has many alike of, and the long API pages."""
    return not re.search(r"logout|/files/|/static/|/api/|next=|/media/|\?.*page=\d\d", path)


def test_the_installed_wheel_leads_from_a_file_to_a_published_report(wheel: Shipped):
    walk(wheel)
    pages = wheel.visitor.crawl("/campaigns/", is_worth_a_look)
    pages |= wheel.visitor.crawl("/gallery/", is_worth_a_look)
    for language in ("de", "cs", "ar"):
        reader = Visitor(wheel.visitor.origin, **{"Accept-Language": language})
        assert f'lang="{language}"' in reader.get("/gallery/").text
        pages[f"{language} preset"] = reader.get(f"/gallery/{preset_names()[0]}/").status
    assert {path: status for path, status in pages.items() if status >= 400} == {}
    for name in preset_names():
        assert any(path.startswith(f"/campaigns/new/{name}/") for path in pages), name
        assert f"/gallery/{name}/" in pages


IMPORT_ALL = """
import importlib, pkgutil
for package in ("analysis", "evalsite", "rankme"):
    for module in pkgutil.walk_packages([package], package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


@pytest.mark.skipif("IMAGE" not in os.environ, reason="Takes seven minutes: make image-test")
def test_the_image_leads_from_a_file_to_a_published_report(image: Shipped):
    walk(image)
    image.command("shell", "--verbosity", "0", "--command", IMPORT_ALL)  # no module needs tests
