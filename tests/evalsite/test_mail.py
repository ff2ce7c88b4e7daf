"""Mail is handed in as real servers ask for it, and `doctor` says when they do not take it."""

import os
import ssl

import pytest
from django.core.mail import send_mail

from evalsite.operation.mail import own_name
from tests.accounts import make_account
from tests.docs.mail_server import PASSWORD, USER, mail_server
from tests.evalsite.processes import said_by_doctor
from tests.live import free_port, run_python
from tests.webhooks.certificates import certificate_for

SMTP = "evalsite.operation.mail.EmailBackend"
WAYS = pytest.mark.parametrize("begins_with_tls", [False, True], ids=["STARTTLS", "TLS"])


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return certificate_for("localhost", tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def certificate(pem, monkeypatch) -> ssl.SSLContext:
    """Of an authority that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(pem[0]))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*pem)
    return made


@pytest.fixture
def told(settings):
    """Say to the site where its mail server is."""

    def tell(port: int, *, begins_with_tls: bool, password: str = PASSWORD) -> None:
        settings.EMAIL_BACKEND = SMTP
        settings.EMAIL_HOST, settings.EMAIL_PORT = "localhost", port
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = USER, password
        settings.EMAIL_USE_SSL, settings.EMAIL_USE_TLS = begins_with_tls, not begins_with_tls
        settings.SITE_URL = "https://evaluation.example.org"
        settings.SERVER_EMAIL = settings.DEFAULT_FROM_EMAIL = "site@example.org"

    return tell


@WAYS
def test_mail_is_handed_in_with_a_password_over_tls(certificate, told, begins_with_tls):
    with mail_server(certificate, begins_with_tls=begins_with_tls) as server:
        told(server.port, begins_with_tls=begins_with_tls)
        send_mail("A link", "Here it is.", None, ["nora@example.org"])
    (mail,) = server.received
    assert (mail["From"], mail["To"]) == ("site@example.org", "nora@example.org")
    # A container's own name is a number, which many servers refuse.
    assert server.greeted_by == "evaluation.example.org"
    assert mail["Message-ID"].endswith("@evaluation.example.org>")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://evaluation.example.org:8443", "evaluation.example.org"),
        ("http://localhost:8000", ""),
        ("http://127.0.0.1:8000", ""),
        ("http://[::1]:8000", ""),
        ("", ""),
    ],
)
def test_only_a_whole_name_is_a_greeting(settings, address, name):
    settings.SITE_URL = address
    assert own_name() == name


@pytest.mark.django_db
@WAYS
def test_doctor_greets_the_mail_server(certificate, told, begins_with_tls):
    make_account(email="olga@example.org")
    with mail_server(certificate, begins_with_tls=begins_with_tls) as server:
        told(server.port, begins_with_tls=begins_with_tls)
        assert "mail" not in said_by_doctor()
        told(server.port, begins_with_tls=begins_with_tls, password="another")
        said = said_by_doctor()
        assert "takes no mail from this site: (535" in said and said.endswith(" problems.")
    assert server.received == []


@pytest.mark.django_db
@WAYS
def test_doctor_says_what_is_wrong_with_the_way_to_it(
    certificate, told, begins_with_tls, monkeypatch
):
    told(port := free_port(), begins_with_tls=begins_with_tls)
    assert f"localhost:{port} takes no mail from this site: [Errno 111]" in said_by_doctor()
    monkeypatch.delenv("SSL_CERT_FILE")
    with mail_server(certificate, begins_with_tls=begins_with_tls) as server:
        told(server.port, begins_with_tls=begins_with_tls)
        assert "certificate verify failed" in said_by_doctor()


@pytest.mark.parametrize(
    ("port", "user", "encrypted"),
    [("587", USER, "TLS"), ("465", USER, "SSL"), ("465", "", "SSL"), ("25", "", "")],
)
def test_the_port_decides_how_mail_is_encrypted(port, user, encrypted):
    """A password never goes over an open line."""
    ask = "from django.conf import settings as s; print(s.EMAIL_USE_TLS, s.EMAIL_USE_SSL)"
    told = {"EMAIL_HOST": "mail.example.org", "EMAIL_PORT": port, "EMAIL_HOST_USER": user}
    environment = os.environ | told | {"DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    said = run_python(["-c", ask], environment).stdout.split()
    assert said == [str(encrypted == "TLS"), str(encrypted == "SSL")]
