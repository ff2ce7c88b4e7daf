"""An OpenID Connect provider on this machine: django-allauth's own, as a process of its own.

`python -m tests.single_sign_on.provider PORT DATABASE CALLBACK` serves it. Its people are
`PEOPLE`, whose password is `PASSWORD`; the place of each in this list is what it tells as `sub`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

PASSWORD = "provider's own 27"
# The second has the name and the mail address of an account of the site.
PEOPLE = (("visitor", "visitor@example.org"), ("olga", "olga@example.org"))
CLIENT_ID, CLIENT_SECRET = "rankme", "a secret of the provider and the site"


def serve(port: int, database: str, callback: str) -> None:
    import django
    import waitress
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
    settings.configure(
        SECRET_KEY="of a provider for tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.single_sign_on.addresses",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "allauth",
            "allauth.account",
            "allauth.idp",
            "allauth.idp.oidc",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        LOGIN_URL="account_login",
        ACCOUNT_EMAIL_VERIFICATION="none",
        ACCOUNT_RATE_LIMITS=False,
        # Cookies know no ports: without a name of its own, it would be the site's.
        SESSION_COOKIE_NAME="provider-session",
        CSRF_COOKIE_NAME="provider-csrf",
        IDP_OIDC_PRIVATE_KEY=pem,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
    )
    django.setup()
    call_command("migrate", verbosity=0)
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import User

    for name, address in PEOPLE:
        User.objects.create_user(name, address, PASSWORD)
    Client.objects.create(
        id=CLIENT_ID,
        name="RankME",
        secret=make_password(CLIENT_SECRET),
        scopes="openid",
        redirect_uris=callback,
    )
    waitress.serve(get_wsgi_application(), host="127.0.0.1", port=port, threads=2)


@contextlib.contextmanager
def provider(folder: Path, callback: str, port: int) -> Iterator[str]:
    """Run the provider while a test needs it; yields its address."""
    from tests.live import start_python, wait_for

    address = f"http://127.0.0.1:{port}"
    environment = {
        name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"
    }
    process = start_python(
        [
            "-m",
            "tests.single_sign_on.provider",
            str(port),
            str(folder / "provider.sqlite"),
            callback,
        ],
        environment,
        folder / "provider.log",
    )
    try:
        wait_for(lambda: answers(address, process), f"the provider; see {folder}/provider.log")
        yield address
    finally:
        process.kill()
        process.wait()


def answers(address: str, process: object) -> bool:
    assert process.poll() is None, "the provider has ended"  # type: ignore[attr-defined]
    try:
        configuration = httpx.get(f"{address}/.well-known/openid-configuration", timeout=5)
    except httpx.TransportError:
        time.sleep(0.1)
        return False
    return configuration.status_code == 200


if __name__ == "__main__":
    serve(int(sys.argv[1]), *sys.argv[2:])
