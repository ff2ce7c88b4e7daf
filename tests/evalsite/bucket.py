"""A server of buckets, as a process that tests can stop."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import boto3
from django.test import override_settings

from evalsite import environment
from tests.live import free_port, wait_for

BUCKET = "evaluation"
KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests"}


@contextlib.contextmanager
def running_bucket() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield its address and its process."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: listens(port), "the server of the bucket")
        address = f"http://127.0.0.1:{port}"
        os.environ |= KEYS
        boto3.client("s3", endpoint_url=address, region_name="us-east-1").create_bucket(
            Bucket=BUCKET
        )
        yield address, process
    finally:
        process.kill()
        process.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def settings_of(address: str) -> dict[str, str]:
    """The variables by which a site uses this server."""
    return KEYS | {
        "STORAGE_BUCKET": BUCKET, "STORAGE_ENDPOINT": address, "STORAGE_REGION": "us-east-1",
    }  # fmt: skip


@contextlib.contextmanager
def files_in(address: str) -> Iterator[None]:
    """Let this process keep its files there."""
    from django.conf import settings

    os.environ |= settings_of(address)
    try:
        chosen = environment.storage("STORAGE")
    finally:
        for name in ("STORAGE_BUCKET", "STORAGE_ENDPOINT", "STORAGE_REGION"):
            del os.environ[name]
    with override_settings(STORAGES=settings.STORAGES | {"default": chosen}):
        yield
