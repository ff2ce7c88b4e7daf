"""The two probes."""

import pytest


def test_the_process_is_alive_without_a_database(client):
    assert client.get("/healthz/").status_code == 200


@pytest.mark.django_db
def test_it_is_ready_when_the_database_answers(client):
    answer = client.get("/readyz/")
    assert (answer.status_code, answer.content) == (200, b"ready\n")
