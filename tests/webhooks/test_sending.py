"""One signed message to a program on this machine."""

import hashlib
import hmac
import json
import socket
import ssl

import httpx
import pytest
from rankme_client.webhooks import BadSignature, read_message

from rankme.webhook_calls import sending
from rankme.webhook_calls.sending import send, signature
from tests.webhooks.certificates import certificate_for
from tests.webhooks.receiver import receiver

BODY = json.dumps({"id": "1", "kind": "done"}).encode()


@pytest.fixture(autouse=True)
def private_addresses(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True


def test_the_receiver_can_check_who_sent_it_and_when():
    with receiver() as told:
        outcome = send(told.url, "secret", BODY, {"RankME-Event": "1"})
    assert (outcome.status, outcome.is_success) == (204, True)
    [(headers, body)] = told.received
    assert (headers["RankME-Event"], body) == ("1", BODY)
    moment, digest = (part.partition("=")[2] for part in headers["RankME-Signature"].split(","))
    signed = f"{moment}.".encode() + body
    assert digest == hmac.new(b"secret", signed, hashlib.sha256).hexdigest()
    assert read_message(body, headers["RankME-Signature"], "secret")["kind"] == "done"


def test_a_message_that_was_changed_or_is_old_is_refused():
    good = signature("secret", BODY, 1_000)
    assert read_message(BODY, good, "secret", now=1_100)["id"] == "1"
    for body, header, now in (
        (BODY + b" ", good, 1_000),
        (BODY, good.replace("v1=", "v1=0"), 1_000),
        (BODY, good.replace("t=1000", "t=1001"), 1_000),
        (BODY, "", 1_000),
        (BODY, good, 1_400),
        (BODY, good, 600),
    ):
        with pytest.raises(BadSignature):
            read_message(body, header, "secret", now=now)
    with pytest.raises(BadSignature):
        read_message(BODY, good, "other", now=1_000)


@pytest.mark.parametrize("status", [302, 404, 500])
def test_every_other_answer_is_a_failure_and_redirects_are_not_followed(status):
    with receiver() as told:
        told.answers = [status]
        outcome = send(told.url, "secret", BODY, {})
    assert (outcome.status, outcome.is_success) == (status, False)
    assert len(told.received) == 1


def test_nobody_there_is_a_failure():
    with receiver() as told:
        url = told.url
    assert send(url, "secret", BODY, {}).status == 0


def test_a_private_address_is_not_called_without_the_setting(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = False
    with receiver() as told:
        https = told.url.replace("http://", "https://")
        assert not send(https, "secret", BODY, {}).is_success
        settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True  # the guard taken away
        assert send(told.url, "secret", BODY, {}).is_success
    assert len(told.received) == 1


def test_the_certificate_has_to_be_that_of_the_host(tmp_path, monkeypatch):
    """The connection goes to the address that was checked, and not to a name."""
    certificate, key = certificate_for("hooks.example.org", tmp_path)
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    here.load_cert_chain(certificate, key)
    there = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(sending, "new_client", lambda: httpx.Client(verify=there))
    look_up = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda _host, *more, **named: look_up("127.0.0.1", *more, **named)
    )
    with receiver(here) as told:
        port = told.url.rpartition(":")[2]
        assert send(f"https://hooks.example.org:{port}", "s", BODY, {}).is_success
        assert send(f"https://other.example.org:{port}", "s", BODY, {}).status == 0
    assert [headers["Host"].partition(":")[0] for headers, _body in told.received] == [
        "hooks.example.org"
    ]
