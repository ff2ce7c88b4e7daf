"""Workers get their messages, and an unreachable broker does not delay anybody."""

import contextlib
import re
import socket
import ssl
import subprocess
import sys
import threading

import pytest

from evalsite import environment
from evalsite.celery import app
from evalsite.embedded import PROJECT, Valkey
from tests.live import PATIENCE, LiveSite, wait_for
from tests.webhooks.certificates import certificate_for

PUBLISH_ASIDE = """
import threading
import django, evalsite; django.setup()
from celery import current_app
def publish():
    print(current_app.main)
    current_app.send_task("rankme.tasks.reconcile", retry=False)
thread = threading.Thread(target=publish)
thread.start(); thread.join()
"""


def queue_length(valkey: Valkey) -> int:
    import redis

    with redis.Redis(unix_socket_path=str(valkey.socket)) as client:
        return client.llen("rankme")


def subscriptions(valkey: Valkey) -> int:
    """What anybody listens to, besides queues."""
    import redis

    with redis.Redis(unix_socket_path=str(valkey.socket)) as client:
        return len(client.pubsub_channels()) + client.pubsub_numpat()


def test_every_thread_sends_its_messages_to_our_broker(site_without_web: LiveSite):
    site_without_web.flush_valkey()
    command = [sys.executable, "-c", PUBLISH_ASIDE]
    environment = site_without_web.environment.copy()
    del environment["DJANGO_SETTINGS_MODULE"]  # a container does not set it either
    sent = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert sent.stdout == "evalsite\n", sent.stderr
    assert queue_length(site_without_web.servers.valkey) == 1


def test_messages_reach_a_worker_again_after_the_broker_was_killed(site_without_web: LiveSite):
    site_without_web.flush_valkey()
    before = reconciliations(site_without_web, "succeeded")  # the log is that of the whole test run
    site_without_web.start_worker()
    site_without_web.start_beat()
    wait_for(lambda: reconciliations(site_without_web, "succeeded") > before, "the first tick")
    assert subscriptions(site_without_web.servers.valkey) == 0, "a read without a time limit"
    site_without_web.kill_valkey()
    received = reconciliations(site_without_web)
    site_without_web.start_valkey()
    wait_for(
        lambda: reconciliations(site_without_web) > received, "a tick after the broker was back"
    )


def reconciliations(site: LiveSite, what: str = "received") -> int:
    log = site.log("worker")
    said = log.read_text() if log.exists() else ""
    return len(re.findall(rf"Task rankme\.tasks\.reconcile\S+ {what}", said))


def test_a_broker_that_is_away_refuses_at_once_and_is_not_asked_again(site_without_web: LiveSite):
    from kombu.exceptions import OperationalError

    site_without_web.kill_valkey()
    refused: list[Exception] = []

    def publish() -> None:
        try:
            app.send_task("rankme.tasks.reconcile", retry=False)
        except OperationalError as error:
            refused.append(error)

    publisher = threading.Thread(target=publish, daemon=True)
    publisher.start()
    publisher.join(timeout=PATIENCE)
    assert len(refused) == 1, "publishing goes on trying"


@pytest.mark.parametrize(
    ("given", "celerys"),
    [
        ("redis://redis:6379/0", "redis://redis:6379/0"),
        ("rediss://redis:6380/0", "rediss://redis:6380/0?ssl_cert_reqs=required"),
        (
            "rediss://redis:6380/0?ssl_ca_certs=/etc/ca.crt",
            "rediss://redis:6380/0?ssl_ca_certs=/etc/ca.crt&ssl_cert_reqs=required",
        ),
        (
            "rediss://redis:6380/0?ssl_cert_reqs=none",
            "rediss://redis:6380/0?ssl_cert_reqs=none",
        ),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock"),
    ],
)
def test_addresses_are_spelt_as_celery_wants(given: str, celerys: str):
    assert environment.broker_address(given) == celerys


@pytest.mark.parametrize(
    ("options", "error"),
    [("", "CERTIFICATE_VERIFY_FAILED"), ("?ssl_cert_reqs=none", "closed")],
    ids=["asked", "not asked"],
)
def test_the_password_goes_to_no_broker_whose_certificate_nobody_signed(tmp_path, options, error):
    """Celery alone would look at no certificate, as it does where the address says so."""
    from kombu import Connection
    from redis.exceptions import RedisError

    certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.load_cert_chain(*certificate_for("localhost", tmp_path))
    told = []

    def greet(plain: socket.socket) -> None:
        """Read what a client says first; one that refuses the certificate hangs up before."""
        with (
            plain,
            contextlib.suppress(OSError),
            certificate.wrap_socket(plain, server_side=True) as line,
        ):
            told.append(line.recv(1000))

    def listen() -> None:
        with contextlib.suppress(OSError):  # the door is shut
            while True:
                greet(door.accept()[0])

    with socket.create_server(("localhost", 0)) as door:
        broker = threading.Thread(target=listen, daemon=True)
        broker.start()
        address = f"rediss://:pass-word@localhost:{door.getsockname()[1]}/0{options}"
        url = environment.broker_address(address)
        with Connection(url) as line, pytest.raises(RedisError, match=error):
            line.channel()
        door.shutdown(socket.SHUT_RDWR)
        broker.join()
    assert any(b"pass-word" in words for words in told) == (error == "closed")
