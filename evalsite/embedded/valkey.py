"""The embedded Valkey."""

from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .accounts import run_as
from .errors import EmbeddedServerError
from .folders import make_folder
from .programs import valkey_program
from .server import STOP_SECONDS, Server, end_of, wait_until


class Valkey(Server):
    """Carries jobs to the workers, and contains nothing that cannot be rebuilt.

    It listens on a socket in a folder that only its owner may enter, and not on a port.
    """

    name = "Valkey"
    seconds_to_answer = 2

    @property
    def pid_file(self) -> Path:
        return self.home / "valkey.pid"

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def launch(self) -> None:
        make_folder(self.home, 0o700, self.account)
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.home),
            "pidfile": str(self.pid_file),
            "logfile": str(self.log),
            "appendonly": "yes",
            "save": "",
            "daemonize": "yes",
        }
        command = [str(valkey_program(self.folder))]
        for name, value in settings.items():
            command += [f"--{name}", value]
        self.pid_file.unlink(missing_ok=True)
        finished = run_as(self.account, command, self.home)
        # The daemon writes its pid file a moment after the program that launched it has ended.
        if finished.returncode != 0 or not wait_until(self.is_running, STOP_SECONDS):
            raise EmbeddedServerError(
                f"Valkey does not start:\n{finished.stdout}\n{end_of(self.log)}"
            )

    def make_ready(self) -> bool:
        once = Retry(NoBackoff(), retries=0)
        try:
            with redis.Redis(
                unix_socket_path=str(self.socket), socket_timeout=self.seconds_to_answer, retry=once
            ) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
