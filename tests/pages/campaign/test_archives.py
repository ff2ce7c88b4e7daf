"""Archives of what other tools wrote, on the pages that are made for a campaign of the site."""

import json
import re
from collections.abc import Iterator

import pytest
from django.test import Client

from rankme.actions.imports.judgement_imports import import_judgements
from rankme.models import Campaign
from tests.campaigns import make_owner
from tests.pages.addresses import address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

MOST_PAGES = 100
MARK = {"start": 0, "end": 3, "severity": "major", "category": "Accuracy/Addition"}
OF_THE_SOURCE = {"start": 1, "end": 2, "side": "source", "severity": "minor"}
MISSING = {"start": None, "end": None, "missing": True, "category": "Omission"}
MARKED = "".join(
    json.dumps({"rater": rater, "system": system, "item": item, "source": "Ahoj.", **more}) + "\n"
    for rater in ("ada", "ben")
    for system, item, more in (
        ("A", "1", {"output": "Hello.", "marks": [MARK, OF_THE_SOURCE], "score": 40}),
        ("B", "1", {"output": "Hi.", "marks": [MISSING], "score": 90}),
        ("A", "2", {"output": "Bye.", "marks": [], "score": 100}),
    )
)
WITHOUT_TEXTS = (
    "engdeu01,A,17,TGT,eng,deu,80,news.1,False,"
    '"[{""start_i"": 0, ""end_i"": 3, ""severity"": ""major""}]",1.0,2.0\n'
    "engdeu01,B,17,TGT,eng,deu,95,news.1,False,[],3.0,4.0\n"
)
SCORES = "rater,item,system,fluency,note\nada,1,A,4,well\nada,1,B,2,=1+1\nben,1,A,5,\n"
TEXTS = (
    "rater,item,system,input,output,criterion,value\n"
    "ada,1,A,in,Hello.,fluency,4\nada,1,B,in,Hi.,fluency,2\nben,1,A,in,Hello.,fluency,5\n"
)
FILES = {
    "marks.jsonl": MARKED,
    "appraise.csv": WITHOUT_TEXTS,
    "scores.csv": SCORES,
    "texts.csv": TEXTS,
}


@pytest.fixture(params=FILES)
def archive(request, tmp_path) -> Campaign:
    path = tmp_path / request.param
    path.write_text(FILES[request.param])
    return import_judgements(make_owner(), path, title="Elsewhere")


def pages_from(client: Client, first: str) -> Iterator[tuple[str, int]]:
    """Open this page and all that it leads to below its own address."""
    waiting, seen = [first], {first}
    while waiting:
        page = waiting.pop()
        answer = client.get(page)
        yield page, answer.status_code
        if answer.get("Content-Type", "").startswith("text/html"):
            found = set(re.findall(rf'href="({re.escape(first)}[^"#?]*)', answer.content.decode()))
            waiting += sorted(found - seen)
            seen |= found
        assert len(seen) < MOST_PAGES


def test_every_page_of_an_archive_opens(archive, olga):
    answers = dict(pages_from(olga, address("campaign", archive)))
    assert {page: status for page, status in answers.items() if status != 200} == {}
    assert address("campaign-item", archive, 1) in answers


def test_the_interface_gives_every_item_of_an_archive(archive, olga):
    items = f"/api/v1/campaigns/{archive.code}/items/"
    assert olga.get(items).status_code == 200
    for number in range(1, archive.items.count() + 1):
        answer = olga.get(f"{items}{number}/")
        assert answer.status_code == 200, answer.content


def test_pages_say_what_an_archive_lacks(tmp_path, olga):
    """Neither texts nor times came with it, so that metrics cannot be computed, either."""
    path = tmp_path / "appraise.csv"
    path.write_text(WITHOUT_TEXTS)
    archive = import_judgements(make_owner(), path, title="Elsewhere")
    page = olga.get(address("campaign-item", archive, 1)).content.decode()
    assert page.count("The text of this output was not imported.") == 2
    assert "1 mark" in page and ">empty<" not in page and ">0.0<" not in page
    rater = archive.participants.get().label
    page = olga.get(address("campaign-rater", archive, rater)).content.decode()
    assert "Last answer" not in page and "lets somebody else judge" not in page
    page = olga.get(address("campaign-metrics", archive)).content.decode()
    assert "No metric can be computed from this material." in page
    assert "Not possible with this material" in page and ">Compute<" not in page
