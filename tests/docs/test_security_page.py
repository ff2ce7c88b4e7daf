"""The page on security: every requirement has one row, and what the row names is there."""

import json
import re

import pytest
from django.conf import settings

from evalsite.embedded import PROJECT
from tools.audit import npm_problems, python_problems

PAGE = (PROJECT / "docs/security.md").read_text()
ASVS = json.loads((PROJECT / "tests/data/asvs.json").read_text())
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
# By what it would break: expressions that the code of the site does not have, and where it may.
FORBIDDEN = {
    "code from data": (r"\beval\(|(?<!\.)\bexec\(|os\.system|shell=True", "*.py", set()),
    "objects from data": (r"pickle\.loads?\(|marshal\.load", "*.py", {"rankme/importing/fence.py"}),
    "markup from data": (r"mark_safe|SafeString\(", "*.py", set()),
    "markup in templates": (r"\|\s*safe\b|autoescape off", "*.html", set()),
    "markup in scripts": (r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", "*.js", set()),
    "messages of others": (r"postMessage|\beval\(|new Function|__proto__", "*.js", set()),
}


def test_every_requirement_has_one_row_with_its_proof():
    numbers = [row[0] for row in ROWS]
    assert sorted(numbers) == sorted(ASVS["level 1"] + ASVS["level 2"])
    states = [row[2] for row in ROWS]
    for number, requirement, state, reason, proof in ROWS:
        assert requirement and reason, number
        assert state in {"holds", "part", "open", "not applicable"}, number
        assert state != "holds" or re.search(r"`[\w/]+[./]\w+`|\]\(", reason + proof), number
        assert state != "part" or "decided" in reason or "planned" in reason, number
        assert state != "open" or "planned" in reason, number
        for path in re.findall(r"`([\w/]+\.(?:py|html))`", f"{reason} {proof}"):
            assert (PROJECT / path).is_file(), path
    said = re.search(r"(\d+) hold, (\d+) are not applicable, (\d+) hold\s+in part, (\d+) are", PAGE)
    counted = [states.count(state) for state in ("holds", "not applicable", "part", "open")]
    assert said and [int(number) for number in said.groups()] == counted


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_code_has_nothing_that_takes_data_for_code(what):
    pattern, files, may = FORBIDDEN[what]
    read = [
        path
        for folder in ("analysis", "evalsite", "rankme", "templates", "static/js")
        for path in (PROJECT / folder).rglob(files)
    ]
    assert read
    found = {
        str(each.relative_to(PROJECT)) for each in read if re.search(pattern, each.read_text())
    }
    assert found == may


def test_the_page_says_what_the_settings_say():
    hours = settings.SESSION_COOKIE_AGE // 3600
    assert f"`SESSION_HOURS` ({hours})" in PAGE
    assert f"`SESSION_IDLE_MINUTES` ({settings.SESSION_IDLE_SECONDS // 60})" in PAGE
    for section in ("Keys", "What is stored about whom", "Logs", "Updates", "Ways in"):
        assert f"## {section}\n" in PAGE
    for section in ("Who may do what", "Who speaks to whom", "What costs most"):
        assert f"## {section}\n" in PAGE
    assert "within 7 days" in PAGE


def test_the_proxy_takes_no_old_encryption():
    proxy = (PROJECT / "nginx.conf").read_text()
    assert re.search(r"^\s+ssl_protocols TLSv1\.2 TLSv1\.3;", proxy, re.M)
    (ciphers,) = re.findall(r"^\s+ssl_ciphers (\S+);", proxy, re.M)
    assert all(re.match("(ECDHE|DHE)-.*(GCM|POLY1305)", each) for each in ciphers.split(":"))


def test_an_index_that_was_not_asked_clears_nothing():
    clean = {"name": "a", "version": "1", "vulns": []}
    skipped = {"name": "b", "skip_reason": "Dependency not found on PyPI"}
    assert python_problems(json.dumps({"dependencies": [clean]})) == []
    bad = clean | {"vulns": [{"id": "PYSEC-1"}]}
    assert python_problems(json.dumps({"dependencies": [clean, bad]})) == ["a PYSEC-1"]
    for said in ("", "{}", json.dumps({"dependencies": [clean, skipped]}), '{"dependencies": []}'):
        assert python_problems(said) is None
    assert npm_problems('{"vulnerabilities": {"x": {"severity": "high"}}}') == ["x high"]
    assert npm_problems('{"error": {"code": "ENOAUDIT"}}') is None
