"""Firefox, WebKit and Chromium under remote control, with one set of verbs for all of them.

Firefox speaks WebDriver BiDi over a socket; the drivers of WebKit and Chromium speak WebDriver
over HTTP. All take the same actions of pointers and keys. Xvfb gives them a display: without one
they say that the computer has no mouse.
"""

import base64
import contextlib
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.chromium import CHROMIUM_FLAGS
from tests.live import free_port, wait_for

Action = Mapping[str, Any]
# Upper bounds, reached only when something is wrong.
PATIENCE = 60
DISPLAY = (1600, 1200)
PROGRAMS = {"firefox": "firefox-esr", "webkit": "WebKitWebDriver", "chromium": "chromedriver"}
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-*/MiniBrowser"
# WebDriver's own characters for keys that write nothing.
KEYS = {
    **{"Tab": "\ue004", "Enter": "\ue007", "Space": " "},
    **{"ArrowRight": "\ue014", "ArrowDown": "\ue015"},
}


class Engine(Protocol):
    """A browser with one window."""

    def goto(self, address: str) -> None: ...

    def run(self, body: str, *arguments: Any) -> Any:
        """Run the body of a JavaScript function in the page, and give what it returns."""

    def perform(self, actions: Sequence[Action]) -> None:
        """Perform input actions as WebDriver defines them."""

    def resize(self, width: int, height: int) -> None: ...

    def come_back(self) -> None:
        """To the page, from the browser's own buttons, where Tab leads after the page's last."""

    def picture(self) -> bytes:
        """The window as PNG."""


class Firefox:
    def __init__(self, socket: ClientConnection) -> None:
        self._numbers = count(1)
        self._socket = socket
        self._send("session.new", capabilities={})
        # In the window's first tab the page would not have the focus, but the field for addresses.
        self._context = self._send("browsingContext.create", type="tab")["context"]

    def goto(self, address: str) -> None:
        self._send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def run(self, body: str, *arguments: Any) -> Any:
        found = self._send(
            "script.evaluate",
            expression=called(body, arguments),
            target={"context": self._context},
            awaitPromise=True,
        )
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def perform(self, actions: Sequence[Action]) -> None:
        self._send("input.performActions", context=self._context, actions=actions)

    def resize(self, width: int, height: int) -> None:
        viewport = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._context, viewport=viewport)

    def come_back(self) -> None:
        if not self.run("return document.hasFocus();"):
            other = self._send("browsingContext.create", type="tab")["context"]
            self._send("browsingContext.close", context=other)

    def picture(self) -> bytes:
        found = self._send("browsingContext.captureScreenshot", context=self._context)
        return base64.b64decode(found["data"])

    def _send(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(PATIENCE))
            if answer.get("id") == number:
                break
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]


class WebDriver:
    """A browser behind a driver that speaks HTTP."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        wanted = {"alwaysMatch": self.capabilities()}
        session = self._send("POST", "/session", capabilities=wanted)["sessionId"]
        self._session = f"/session/{session}"

    def capabilities(self) -> dict[str, Any]:
        raise NotImplementedError

    def goto(self, address: str) -> None:
        self._send("POST", f"{self._session}/url", url=address)

    def run(self, body: str, *arguments: Any) -> Any:
        script = f"return {called(body, arguments)}"
        found = self._send("POST", f"{self._session}/execute/sync", script=script, args=[])
        return json.loads(found)

    def perform(self, actions: Sequence[Action]) -> None:
        self._send("POST", f"{self._session}/actions", actions=actions)

    def come_back(self) -> None:
        """These drivers send every key to the page."""

    def picture(self) -> bytes:
        return base64.b64decode(self._send("GET", f"{self._session}/screenshot"))

    def close(self) -> None:
        with contextlib.suppress(httpx.HTTPError):
            self._send("DELETE", self._session)

    def _send(self, verb: str, path: str, **body: Any) -> Any:
        answer = self._client.request(verb, path, json=body if verb == "POST" else None)
        value = answer.json()["value"]
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
        return value


class WebKit(WebDriver):
    def capabilities(self) -> dict[str, Any]:
        options = {"binary": mini_browser(), "args": ["--automation"]}
        return {"webkitgtk:browserOptions": options}

    def resize(self, width: int, height: int) -> None:
        """Until the page is this large; the window's own frame comes on top."""
        # In the middle of the display, where the pointer is: without a program that manages windows
        # the one below the pointer has the focus.
        middle = {"x": (DISPLAY[0] - width) // 2, "y": (DISPLAY[1] - height) // 2}
        rect = {"width": width, "height": height}
        for _ in range(3):
            self._send("POST", f"{self._session}/window/rect", **middle, **rect)
            time.sleep(0.3)
            inner = self.run("return [innerWidth, innerHeight];")
            if inner == [width, height]:
                return
            rect = {
                "width": rect["width"] + width - inner[0],
                "height": rect["height"] + height - inner[1],
            }
        raise AssertionError(f"WebKit's page is {inner}, not {width} × {height}")


class Chromium(WebDriver):
    def capabilities(self) -> dict[str, Any]:
        return {"goog:chromeOptions": {"args": CHROMIUM_FLAGS}}

    def resize(self, width: int, height: int) -> None:
        """The page's size: no window of Chromium is as narrow as a phone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": size}
        self._send("POST", f"{self._session}/goog/cdp/execute", **command)


def called(body: str, arguments: Sequence[Any]) -> str:
    """An expression that calls the function with this body; its value is JSON."""
    given = json.dumps(list(arguments))
    return f"JSON.stringify((function () {{ {body} }}).apply(null, {given}) ?? null)"


def answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "the browser has ended"
    try:
        httpx.get(f"http://127.0.0.1:{port}/status", timeout=5)
    except httpx.TransportError:
        return False
    return True


def mini_browser() -> str | None:
    return next(iter(sorted(glob.glob(MINI_BROWSERS))), None)


def is_installed(name: str) -> bool:
    programs = ["Xvfb", PROGRAMS[name]]
    return all(map(shutil.which, programs)) and (name != "webkit" or bool(mini_browser()))


@contextlib.contextmanager
def launched(name: str) -> Iterator[Engine]:
    """The engine of this name, in a profile of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        port = free_port()
        display = stack.enter_context(a_display(folder))
        command = [PROGRAMS[name], f"--port={port}"]
        if name == "firefox":
            command = firefox_command(port, Path(folder))
        if name == "webkit":
            make_buttons_small(Path(folder))
        process = stack.enter_context(running(command, folder, DISPLAY=display))
        wait_for(lambda: answers(port, process), name)
        if name == "firefox":
            address = f"ws://127.0.0.1:{port}/session"
            yield Firefox(stack.enter_context(connect(address, max_size=2**26)))
        else:
            address = f"http://127.0.0.1:{port}"
            client = stack.enter_context(httpx.Client(base_url=address, timeout=PATIENCE))
            driver = WebKit if name == "webkit" else Chromium
            yield stack.enter_context(contextlib.closing(driver(client)))


def make_buttons_small(home: Path) -> None:
    """Or the buttons of WebKit's window would keep it from being as narrow as a phone."""
    settings = home / ".config/gtk-3.0"
    settings.mkdir(parents=True)
    (settings / "gtk.css").write_text(
        "button, entry { padding: 0; margin: 0; min-width: 0 }\n"
        "image { -gtk-icon-transform: scale(0.2) }\n"
    )


def firefox_command(port: int, profile: Path) -> list[str]:
    # Without these Firefox calls home at its start.
    (profile / "user.js").write_text(
        'user_pref("app.update.enabled", false);\n'
        'user_pref("browser.safebrowsing.malware.enabled", false);\n'
        'user_pref("browser.safebrowsing.phishing.enabled", false);\n'
        'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
        'user_pref("network.captive-portal-service.enabled", false);\n'
        'user_pref("services.settings.server", "data:,");\n'
        'user_pref("toolkit.telemetry.enabled", false);\n'
    )
    remote = ["--remote-debugging-port", str(port)]
    return ["firefox-esr", "--no-remote", "--profile", str(profile), *remote]


@contextlib.contextmanager
def a_display(folder: str) -> Iterator[str]:
    """An X server that chooses its own number."""
    reading, writing = os.pipe()
    screen = "{}x{}x24".format(*DISPLAY)
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-nolisten"]
    with running([*command, "tcp"], folder, pass_fds=(writing,)):
        os.close(writing)
        with open(reading) as told:
            yield f":{told.readline().strip()}"


@contextlib.contextmanager
def running(
    command: list[str], home: str, *, pass_fds: tuple[int, ...] = (), **settings: str
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command,
        env=os.environ | {"HOME": home, "LANG": "C.UTF-8"} | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=pass_fds,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)
