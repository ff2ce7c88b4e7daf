"""Whatever is sent, the answer is never a 5xx: every writable field, parameter and address."""

import copy
import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankme.api.analysis_shapes import RunQuery
from rankme.api.campaign_shapes import CampaignQuery
from rankme.api.judgement_shapes import CsvQuery, JudgementQuery
from rankme.api.view import PageQuery
from rankme.protocols.files import definition_to_document, preset, preset_names
from tests.campaigns import make_campaign
from tests.runs import rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
often = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Signs that a database, a driver or a template may stumble over come up often.
NASTY = ["\x00", "\ud800", "\udfff", "\ufffe", "\u202e", "'", '"', "{{", "%s", "\\", "\n", "=1+1"]
texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=12),
    st.sampled_from(NASTY),
    st.sampled_from(["a" * 5000, "9" * 400, "-1", "1e999", "null", "../../x"]),
)
numbers = st.one_of(
    st.integers(),
    st.sampled_from([2**31, 2**63, -(2**63), 10**400, 0]),
    st.floats(allow_nan=True, allow_infinity=True),
)
documents = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
PRESETS = {name: definition_to_document(preset(name)) for name in preset_names()}


def places(document: Any, path: tuple = ()) -> list[tuple]:
    """Every place in a document, inner ones too."""
    found = [path]
    if isinstance(document, dict):
        found += [one for name, part in document.items() for one in places(part, (*path, name))]
    elif isinstance(document, list):
        found += [one for n, part in enumerate(document) for one in places(part, (*path, n))]
    return found


def with_change(document: Any, path: tuple, value: Any) -> Any:
    changed = copy.deepcopy(document)
    part = changed
    for step in path[:-1]:
        part = part[step]
    if not path:
        return value
    part[path[-1]] = value
    return changed


def send(client, method: str, address: str, body: Any, kind: str = "application/json"):
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.generic(method, address, sent, kind)
    assert answer.status_code < 500, (method, address, body, answer.content)
    if answer.status_code >= 400:
        assert set(answer.json()["error"]) == {"code", "message", "problems"}
    return answer


@st.composite
def broken_definitions(draw) -> Any:
    """A real campaign file in which one or two places hold anything at all."""
    document = PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(places(document)))
        document = with_change(document, path, draw(documents))
        if not isinstance(document, dict):
            break
    return document


@often
@given(definition=broken_definitions())
def test_definitions(olga, definition):
    answer = send(olga, "POST", "/api/v1/campaigns/", {"definition": definition})
    if answer.status_code == 201:
        code = answer.json()["code"]
        for part in ("", "file/", "progress/", "judgements.csv"):
            assert olga.get(f"/api/v1/campaigns/{code}/{part}").status_code < 500
        assert olga.post(f"/api/v1/campaigns/{code}/launch/").status_code < 500
        send(olga, "PUT", f"/api/v1/campaigns/{code}/", {"definition": definition})


@often
@given(
    body=st.dictionaries(
        st.one_of(st.sampled_from(["preset", "title", "definition"]), texts), documents
    )
)
def test_new_campaigns(olga, body):
    send(olga, "POST", "/api/v1/campaigns/", body)


@often
@given(
    name=st.sampled_from(sorted(PRESETS)),
    cut=st.floats(0, 1),
    inserted=st.one_of(
        texts,
        st.sampled_from(
            [
                "&a [*a]",
                "*x",
                "!!python/object:os.x {}",
                "? :",
                "<<: 1",
                "2020-13-45",
                "0x" + "f" * 5000,
                ".inf",
                "!!binary x",
            ]
        ),
    ),
)
def test_campaign_files(olga, name, cut, inserted):
    from rankme.protocols.files import PRESETS as FOLDER

    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    place = int(cut * len(text))
    body = (text[:place] + inserted + text[place:]).encode("utf-8", "surrogatepass")
    send(olga, "POST", "/api/v1/campaigns/", body, "application/yaml")


@often
@given(body=st.binary(max_size=60))
def test_bytes_that_are_nothing(olga, body):
    for kind in ("application/json", "application/yaml", "multipart/form-data; boundary=x"):
        send(olga, "POST", "/api/v1/campaigns/", body, kind)
        send(olga, "POST", "/api/v1/token/", body, kind)


@often
@given(username=documents, password=documents, more=st.dictionaries(texts, documents, max_size=1))
def test_credentials(anybody, username, password, more):
    send(anybody, "POST", "/api/v1/token/", {"username": username, "password": password} | more)


OPTIONS = [
    *("seed", "runs", "method", "resample", "alpha", "kinds", "model", "factors", "title"),
    *("sums_of_squares", "exclude_raters", "outliers", "outlier_width", "lower_is_better"),
    *("log_scale", "categories", "agreement_resamples", "criteria", "exclusion_reason"),
]


@pytest.fixture(scope="module")
def rated(rows_of_the_module):
    return rated_campaign(raters=1, items=4)


@often
@given(options=st.dictionaries(st.one_of(st.sampled_from(OPTIONS), texts), documents, max_size=3))
def test_options_of_an_analysis(olga, rated, options):
    send(olga, "POST", f"/api/v1/campaigns/{rated.code}/analysis-runs/", {"options": options})


QUERIES = {
    "campaigns/": CampaignQuery,
    "campaigns/{code}/imports/": PageQuery,
    "campaigns/{code}/judgements/": JudgementQuery,
    "campaigns/{code}/judgements.csv": CsvQuery,
    "campaigns/{code}/analysis-runs/": RunQuery,
}


@often
@given(address=st.sampled_from(sorted(QUERIES)), data=st.data())
def test_parameters(olga, rated, address, data):
    names = st.one_of(
        st.sampled_from(sorted(QUERIES[address]().fields)),
        st.sampled_from(["owner__password", "_connector", "_negated", "pk__in", "ordering"]),
        texts,
    )
    query = "&".join(
        f"{_quoted(name)}={_quoted(data.draw(texts))}"
        for name in data.draw(st.lists(names, max_size=3))
    )
    answer = olga.get(f"/api/v1/{address.format(code=rated.code)}?{query}")
    assert answer.status_code in (200, 400), query


@often
@given(code=texts, number=st.one_of(texts, st.integers().map(str)))
def test_addresses(olga, code, number):
    for address in (
        f"campaigns/{_quoted(code)}/",
        f"campaigns/{_quoted(code)}/analysis-runs/{_quoted(number)}/",
        f"campaigns/x/imports/{_quoted(number)}/take/",
        f"reports/{_quoted(code)}/",
    ):
        for method in ("GET", "POST"):
            answer = olga.generic(method, f"/api/v1/{address}")
            assert answer.status_code in (200, 404, 405), address


@often
@given(
    name=texts,
    content=st.binary(max_size=200),
    kind=texts,
    form=texts,
    role=st.sampled_from(["outputs", "items", "path"]),
)
def test_uploads(olga, name, content, kind, form, role):
    campaign = make_campaign(launch=False)
    body = _multipart({"kind": kind, "format": form}, role, name, content)
    send(
        olga,
        "POST",
        f"/api/v1/campaigns/{campaign.code}/imports/",
        body,
        "multipart/form-data; boundary=parting",
    )


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def _multipart(fields: dict[str, str], role: str, name: str, content: bytes) -> bytes:
    """By hand, so that names of files and fields may hold anything."""
    parts = [
        f'--parting\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode(
            "utf-8", "surrogatepass"
        )
        for field, value in fields.items()
        if value
    ]
    head = f'--parting\r\nContent-Disposition: form-data; name="{role}"; filename="{name}"\r\n'
    head += "Content-Type: text/csv\r\n\r\n"
    parts.append(head.encode("utf-8", "surrogatepass") + content + b"\r\n--parting--\r\n")
    return b"".join(parts)
