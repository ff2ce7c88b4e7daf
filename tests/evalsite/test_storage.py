"""Static files as they are sent."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

from evalsite.storage import ModuleStaticFilesStorage, without_comments

PROJECT = Path(__file__).parents[2]
SCRIPT = """// What it is for.
import { say } from "./notices.js";

/**
 * @param {string} text
 */
export const shout = (text) =>
  /** @type {string} */ (text.toUpperCase()); // aloud
/** @type {number} */
let count = 1;
const address = "https://example.org/*";
"""
SENT = """
import { say } from "./notices.js";




export const shout = (text) =>
  /** @type {string} */ (text.toUpperCase()); // aloud

let count = 1;
const address = "https://example.org/*";
"""


def test_whole_lines_of_comment_are_empty_and_everything_else_stays():
    assert without_comments(SCRIPT) == SENT
    assert without_comments("a {\n  /* why\n     so */\n  top: 0;\n}") == "a {\n\n\n  top: 0;\n}"


@pytest.mark.parametrize(
    ("name", "sent"), [("js/shout.js", SENT), ("admin/js/shout.js", SCRIPT), ("js/a.txt", SCRIPT)]
)
def test_only_our_own_scripts_lose_their_comments(tmp_path: Path, name, sent):
    """Those of other projects keep the notices that their licences ask for."""
    storage = ModuleStaticFilesStorage(location=tmp_path, base_url="/static/")
    storage.save(name, ContentFile(SCRIPT.encode()))
    assert (tmp_path / name).read_text("utf-8") == sent


def test_a_script_does_not_need_files_named_in_comments(tmp_path: Path):
    """Modules may name each other's types in a circle, which no name from a content could."""
    source = FileSystemStorage(location=tmp_path / "source")
    storage = ModuleStaticFilesStorage(location=tmp_path / "sent", base_url="/static/")
    scripts = {"js/one.js": "other", "js/other.js": "one"}
    for name, other in scripts.items():
        script = f'/** @typedef {{import("./{other}.js").Thing}} Thing */\nlet count = 1;\n'
        source.save(name, ContentFile(script.encode()))
        storage.save(name, ContentFile(script.encode()))
    processed = list(storage.post_process({name: (source, name) for name in scripts}))
    assert {name for name, _hashed, _changed in processed} == set(scripts)


def test_imports_name_the_file_that_is_kept_and_compressed(tmp_path: Path):
    """Scripts of other projects are not modules, and nobody looks for imports in them."""
    source = FileSystemStorage(location=tmp_path / "source")
    storage = ModuleStaticFilesStorage(location=tmp_path / "sent", base_url="/static/")
    said = b'import { say } from "./notices.js";\n' + b"say(1);\n" * 50
    scripts = {"js/page.js": said, "js/notices.js": b"export const say = 1;\n" * 50}
    for name, script in (scripts | {"admin/js/page.js": said}).items():
        source.save(name, ContentFile(script))
        storage.save(name, ContentFile(script))
    paths = {name: (source, name) for name in (*scripts, "admin/js/page.js")}
    list(storage.post_process(paths))
    sent = {name: (tmp_path / "sent" / storage.stored_name(name)).read_bytes() for name in paths}
    notices = Path(storage.stored_name("js/notices.js")).name
    assert re.fullmatch(r"notices\.[0-9a-f]+\.js", notices)
    assert f'from "./{notices}";'.encode() in sent["js/page.js"]
    assert sent["admin/js/page.js"] == said
    compressed = {str(path.relative_to(tmp_path / "sent")) for path in tmp_path.rglob("*.gz")}
    assert compressed >= {f"{storage.stored_name(name)}.gz" for name in paths}


def test_a_script_may_import_another_that_imports_another_many_times(tmp_path: Path):
    """Each comes before what it imports, which takes the most passes."""
    source = FileSystemStorage(location=tmp_path / "source")
    storage = ModuleStaticFilesStorage(location=tmp_path / "sent", base_url="/static/")
    names = [f"js/{number:02}.js" for number in range(20)]
    scripts = [
        *(f'import {{ a }} from "./{n + 1:02}.js";' for n in range(19)),
        "export const a = 1;",
    ]
    for name, script in zip(names, scripts, strict=True):
        source.save(name, ContentFile(script.encode()))
        storage.save(name, ContentFile(script.encode()))
    processed = list(storage.post_process({name: (source, name) for name in names}))
    assert [name for name, _hashed, changed in processed if isinstance(changed, Exception)] == []
    for name, following in pairwise(names):
        sent = (tmp_path / "sent" / storage.stored_name(name)).read_text("utf-8")
        assert f'"./{Path(storage.stored_name(following)).name}"' in sent


def test_no_code_follows_the_end_of_a_longer_comment():
    """Such a line would be sent without the beginning of its comment."""
    after_the_end = re.compile(r"^\s*\*(?!.*/\*).*\*/[ \t]*\S", re.MULTILINE)
    assert after_the_end.search("/**\n * why */ let count = 1;")
    files = [path for kind in ("js", "css") for path in (PROJECT / "static").rglob(f"*.{kind}")]
    assert len(files) > 50
    assert [path.name for path in files if after_the_end.search(path.read_text("utf-8"))] == []
