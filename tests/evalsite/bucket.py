"""A server of buckets with its files on the disk, as a process that tests can stop and kill."""

import contextlib
import json
import os
import signal
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from django.test import override_settings

from evalsite import environment
from evalsite.bucket import LIMITS
from evalsite.embedded import data_folder
from evalsite.run import MARK
from tests.live import free_port, reachable_folder, wait_for

BUCKET, REGION = "evaluation", "us-east-1"
KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "not-a-secret"}
MAY_DO = ["Admin", "Read", "List", "Tagging", "Write"]
# Its parts talk to each other by HTTP and gRPC.
PARTS = ("master", "volume", "filer", "s3")
SWITCHED_OFF = ("-s3.port.iceberg=0", "-s3.port.lance=0")


class BucketServer:
    """SeaweedFS, which has everything that it acknowledged when it starts again after a kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {f"{part}.port{kind}": free_port() for part in PARTS for kind in ("", ".grpc")}
        self.port = self.ports["s3.port"]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        keys = dict(zip(("accessKey", "secretKey"), KEYS.values(), strict=True))
        account = {"name": "tests", "credentials": [keys], "actions": MAY_DO}
        (folder / "keys.json").write_text(json.dumps({"identities": [account]}))

    def start(self) -> None:
        """Start it, and wait until it keeps files."""
        command = [Path(sysconfig.get_path("scripts")) / "weed", "-logtostderr", "server", "-s3"]
        command += [f"-dir={self.folder}", f"-s3.config={self.folder / 'keys.json'}"]
        command += ["-ip=127.0.0.1", "-master.volumeSizeLimitMB=64", "-volume.max=50"]
        command += SWITCHED_OFF
        command += [f"-{part}.localSocket={self.folder / part}.sock" for part in ("filer", "s3")]
        command += [f"-{name}={port}" for name, port in self.ports.items()]
        marked = os.environ | {MARK: str(data_folder())}
        with (self.folder / "bucket.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=marked)
        wait_for(self.keeps_files, "the server of the bucket")

    def keeps_files(self) -> bool:
        client = boto3.client(
            "s3",
            endpoint_url=self.address,
            region_name=REGION,
            config=LIMITS,
            **{name.lower(): value for name, value in KEYS.items()},
        )
        try:
            if BUCKET not in [each["Name"] for each in client.list_buckets()["Buckets"]]:
                client.create_bucket(Bucket=BUCKET)
            client.put_object(Bucket=BUCKET, Key="probe", Body=b"ready")
            client.delete_object(Bucket=BUCKET, Key="probe")
        except (BotoCoreError, ClientError):
            return False
        return True

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def running_bucket() -> Iterator[BucketServer]:
    with reachable_folder("bucket") as folder:
        server = BucketServer(folder)
        try:
            server.start()
            yield server
        finally:
            server.kill()


def settings_of(address: str) -> dict[str, str]:
    """The variables by which a site uses this server."""
    return KEYS | {
        "STORAGE_BUCKET": BUCKET, "STORAGE_ENDPOINT": address, "STORAGE_REGION": REGION,
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
