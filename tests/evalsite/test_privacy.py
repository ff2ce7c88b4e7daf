"""The log never names a participant: not the panel's id, not the token that acts for one."""

import io
import logging

import pytest

from evalsite.privacy import WithoutParticipants, without_participants

PROLIFIC = "5f3c9d1e2b4a6c8d0e1f2a3b"
MTURK = "A2ZDIKCPRRTFGG"
TOKEN = "kPz3vN0x7Rb_QmWd1YtUaA"


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (f"Not Found: /join/x/?PROLIFIC_PID={PROLIFIC}&SESSION_ID=abc", PROLIFIC),
        ("Not Found: /join/x/?PROLIFIC_PID=ada&SESSION_ID=s-17", "ada"),
        ("Not Found: /join/x/?STUDY_ID=s&SESSION_ID=session17", "session17"),
        ("Not Found: /join/x/?anything=whatever", "whatever"),
        (f"participant {PROLIFIC} has returned", PROLIFIC),
        (f"worker {MTURK} has returned", MTURK),
        (f"workerId={MTURK}", MTURK),
        (f"Forbidden (CSRF cookie not set.): /work/{TOKEN}/", TOKEN),
        (f"Bad Request: /work/{TOKEN}", TOKEN),
        (f'{{"token": "{TOKEN}"}}', TOKEN),
        (f"{{'participant_id': '{PROLIFIC}'}}", PROLIFIC),
        ("Forbidden: /r/x/resume/ODQ5:1xUr8X:Q6pnAbCdEf/", "ODQ5"),
        ("Forbidden: /r/x/my-data/resume/ODQ5:1xUr8X:Q6pnAbCdEf/", "ODQ5"),
        ("Forbidden: /r/x/resume/.eJyrVkrLz1eyUkpKLFKqBQAdegQ0:1xUr8X:Q6pn/", "1xUr8X"),
        ("no rater jane.doe@uni.example here", "jane.doe"),
        (
            "DETAIL:  Key (campaign_id, panel, external_id)=(3, generic, jane) already exists.",
            "jane",
        ),
        ('DETAIL:  Key (external_id)=(jane) is not present in table "x".', "jane"),
        ("DETAIL:  Failing row contains (7, generic, jane, null).", "jane"),
        ("Internal Server Error: /work/0b5e7a1c-93c4-4b0e-8b63-0f7f1f6d2a11/", "0b5e7a1c"),
    ],
)
def test_a_log_line_loses_what_names_a_participant(line: str, secret: str):
    assert secret not in without_participants(line)


@pytest.mark.parametrize(
    "line",
    [
        "Not Found: /campaigns/17/material/",
        "[29570] [INFO] Worker exiting (pid: 29570)",
        "Task rankme.tasks.reconcile succeeded in 0.01s",
        "GET /static/participant/instructions.css 404",
    ],
)
def test_a_log_line_keeps_what_helps(line: str):
    assert without_participants(line) == line


def test_arguments_and_tracebacks_pass_the_filter_too():
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(WithoutParticipants())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        raise ValueError(f"no participant {PROLIFIC}")
    except ValueError:
        logger.exception("failed for %s", PROLIFIC)
    assert "ValueError: no participant …" in written.getvalue()
    assert PROLIFIC not in written.getvalue()


def test_what_a_stranger_sends_begins_no_line_of_the_log():
    sent = "Not Found: /x\r\n2026-11-23T22:10:04+0000 CRITICAL forged\x1b[2J\x9b"
    record = logging.LogRecord("test", logging.WARNING, "", 1, "%s", (sent,), None)
    assert WithoutParticipants().filter(record)
    written = "Not Found: /x\\r\\n2026-11-23T22:10:04+0000 CRITICAL forged\\x1b[2J\\x9b"
    assert record.getMessage() == written


def test_every_handler_of_the_site_has_the_filter(settings):
    for handler in settings.LOGGING["handlers"].values():
        assert "without_participants" in handler["filters"]


def test_the_live_log_does_not_name_who_came(live_site):
    import urllib.error
    import urllib.request

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{live_site.url}/no/such/{TOKEN}/?PROLIFIC_PID={PROLIFIC}")
    refused.value.close()  # else its socket is found in whatever test searches for garbage next
    log = live_site.log("web").read_text()
    assert "Not Found: /no/such/…/" in log
    assert TOKEN not in log
    assert PROLIFIC not in log
