"""The package and the image as they are shipped: read-only code, another account, no home.

An organiser walks a campaign in French, of whose texts the site knows none, from its file to its
published report, over HTTP. Then every link is followed.
"""

from __future__ import annotations

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
from tests.evalsite.image import copied_files, dockerfile
from tests.evalsite.processes import PROCESSES, SAFE
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
    """Carry out the steps of the Dockerfile after the packages, and start its parts."""
    recipe = dockerfile()
    with reachable_folder("rankme-image-") as made:
        folder = made.resolve()
        code, data = folder / "site", folder / "data"
        copied_files(code)
        places = {"/site": str(code), "/data": str(data)}
        environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        environment |= {name: moved(value, places) for name, value in recipe.environment.items()}
        build = moved(recipe.steps[-1], places | {"/tmp/build": str(folder / "build")})
        subprocess.run(["sh", "-ec", build], cwd=code, env=environment, check=True)
        close_folder(code)
        data.mkdir()
        if os.geteuid() == 0:
            os.chown(data, ACCOUNT, ACCOUNT)
        servers = Servers(folder / "servers")  # durable ones: production refuses others
        with servers.running():
            yield from started_image(servers, code, environment)
        open_folder(code)


def moved(text: str, places: dict[str, str]) -> str:
    """Put folders of the image where they are in this test."""
    return re.sub(r"(?<![\w/])(/site|/data|/tmp/build)\b", lambda at: places[at[0]], text)


def started_image(servers: Servers, code: Path, built: dict[str, str]) -> Iterator[Shipped]:
    port = free_port()
    with prefix_proxy(port, "", ends_tls=True) as proxy:
        environment = built | SAFE | {
            "DATABASE_URL": servers.postgresql.url, "REDIS_URL": servers.valkey.url,
            "HOST": "127.0.0.1", "PORT": str(port), "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_URL": proxy.secure_url, "BEHIND_TLS_PROXY": "true", "HOME": NO_HOME,
            MARK: str(servers.folder),
        }  # fmt: skip

        def command(*arguments: str, **more: str) -> str:
            line, told = [sys.executable, "manage.py", *arguments], environment | more
            return subprocess.check_output(line, cwd=code, env=told, text=True, **as_account())

        command("migrate", "--no-input", DATABASE_OWNER_URL=servers.postgresql.owner_url)
        password = said(command("organiser", "organiser"), "Password")
        with running_parts(code, environment) as log:
            direct = Visitor(f"http://127.0.0.1:{port}")
            wait_for(lambda: answers(direct), f"the image's web server, see {log}")
            visitor = Visitor(proxy.url)
            log_in(visitor, "organiser", password)
            yield Shipped(visitor, command)


@contextlib.contextmanager
def running_parts(code: Path, environment: dict[str, str]) -> Iterator[Path]:
    """Run the web server and a worker, as the containers do. Yields the path of their log."""
    log = code.parent / "log"
    with log.open("wb") as file:
        parts = [
            subprocess.Popen(
                [sys.executable, *PROCESSES[name]], cwd=code, env=environment,
                stdout=file, stderr=subprocess.STDOUT, **as_account(),
            )
            for name in ("web", "worker")
        ]  # fmt: skip
        try:
            yield log
        finally:
            for part in parts:
                part.terminate()
            for part in parts:
                part.wait()
            print(log.read_text(errors="replace")[-LAST_WORDS:])  # shown where a test fails


def answers(visitor: Visitor) -> bool:
    try:
        return visitor.get("/healthz/").status == 200
    except OSError:
        return False


# --- The walk ----------------------------------------------------------------------------------


def log_in(visitor: Visitor, name: str, password: str) -> None:
    page = visitor.send(visitor.get("/login/"), "username", username=name, password=password)
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
        there = reader.crawl("/gallery/", is_worth_a_look)
        assert f'lang="{language}"' in reader.get("/gallery/").text
        pages |= {f"{language} {path}": status for path, status in there.items()}
    assert {path: status for path, status in pages.items() if status >= 400} == {}
    for name in preset_names():
        assert any(path.startswith(f"/campaigns/new/{name}/") for path in pages), name
        assert f"/gallery/{name}/" in pages


def test_the_image_leads_from_a_file_to_a_published_report(image: Shipped):
    walk(image)
