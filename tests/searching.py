"""Search everything that a site keeps for a text: its database, its files and its broker."""

import base64
import gzip
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

ZIPPED = re.compile(rb"\\\\x(1f8b[0-9a-f]+)")
TABLES = """
    SELECT format('%I.%I', nspname, relname) FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'm') AND nspname NOT IN ('pg_catalog', 'information_schema')
    AND nspname NOT LIKE 'pg_toast%' ORDER BY 1
"""


def disguises(text: str) -> dict[str, bytes]:
    """The text as it is, encoded, and as the hashes that somebody could compute of it."""
    raw = text.encode()
    found = {"text": raw, "hex": raw.hex().encode()}
    for before in range(3):
        # What comes before the text moves it within the groups of three bytes.
        whole = base64.b64encode(b"\0" * before + raw)
        inner = whole[4 if before else 0 : len(whole) // 4 * 4 - 4]
        found[f"base64 after {before}"] = inner
    keyed = {"django": salted_hmac("rankme.rater", text), "key": salted_hmac("", text)}
    digests = {name: hashlib.new(name, raw) for name in ("md5", "sha1", "sha256", "sha512")}
    for name, digest in (keyed | digests).items():
        found[f"{name} in hex"] = digest.hexdigest().encode()
        found[f"{name} in base64"] = base64.b64encode(digest.digest()).rstrip(b"=")
    return {name: needle.lower() for name, needle in found.items() if len(needle) >= 5}


def everything(storage: Path) -> Iterator[tuple[str, bytes]]:
    """Each table as a dump has it, each file with what is packed in it, each key of the broker."""
    yield from tables()
    for file in sorted(each for each in storage.rglob("*") if each.is_file()):
        yield from unpacked(str(file.relative_to(storage)), file.read_bytes())
    yield from _broker()


def tables() -> Iterator[tuple[str, bytes]]:
    """`pg_dump` writes the same rows; this also sees what the test has not committed."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        names = [name for (name,) in cursor.fetchall()]
        for name in names:
            rows = io.BytesIO()
            cursor.cursor.copy_expert(f"COPY {name} TO STDOUT", rows)
            content = rows.getvalue()
            packed = (bytes.fromhex(each.decode()) for each in ZIPPED.findall(content))
            yield name, b"\n".join([content, *map(gzip.decompress, packed)])


def unpacked(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from unpacked(f"{name}/{member}", archive.read(member))
    if content[:2] == b"\x1f\x8b":
        yield f"{name} unpacked", gzip.decompress(content)


def _broker() -> Iterator[tuple[str, bytes]]:
    address = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://")
    server = redis.Redis.from_url(address)
    for key in server.scan_iter():
        yield f"broker {key!r}", key + (server.dump(key) or b"")


def places_of_all(texts: dict[str, str], storage: Path) -> dict[str, set[str]]:
    """Where each of these texts is found in any disguise, by its name."""
    wanted = {name: disguises(text) for name, text in texts.items()}
    found: dict[str, set[str]] = {name: set() for name in texts}
    for place, content in everything(storage):
        lower = content.lower()
        for name, needles in wanted.items():
            if any(needle in lower for needle in needles.values()):
                found[name].add(place)
    return found
