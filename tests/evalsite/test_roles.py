"""The site's role in the database: enough to run the site, too little to change the record."""

import secrets
from collections.abc import Iterator

import psycopg2
import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from psycopg2.errors import InsufficientPrivilege

from evalsite import checks, roles
from evalsite.embedded import OWNER_ROLE, SITE_ROLE, Servers
from rankme.actions.sitting.settling import settle
from rankme.models import (
    Judgement,
    Look,
    QuarantinedPayload,
    QuizAttempt,
    RuleDecision,
    SystemCode,
    TaskEvent,
)
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.database.migrated import put_migrated_cluster
from tests.evalsite.databases import connected, manage, restore, schema
from tests.evalsite.processes import PROCESSES, run
from tests.live import reachable_folder
from tests.shared_tasks.tasks import make_task
from tests.sittings import answer, claim

RECORD = {model._meta.db_table: model._meta.pk.column for model in roles.record_models()}
INSERT_ONLY = [model for model in roles.record_models() if not model.changeable]


@pytest.fixture
def as_site(servers: Servers, django_db_setup: None) -> Iterator[psycopg2.extensions.cursor]:
    """A session of the site's role in the database of the tests."""
    name = connection.settings_dict["NAME"]
    with connected(servers.postgresql.url_of(SITE_ROLE, name)) as cursor:
        yield cursor


ON_EACH_TABLE = {
    "update": "UPDATE {table} SET {key} = {key}",
    "delete": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table} CASCADE",
    "disable the triggers": "ALTER TABLE {table} DISABLE TRIGGER USER",
    "add a trigger": "CREATE TRIGGER mine BEFORE INSERT ON {table}"
    " FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "drop": "DROP TABLE {table} CASCADE",
    "add a rule": "CREATE RULE mine AS ON INSERT TO {table} DO INSTEAD NOTHING",
}
ANYWHERE = {
    "start a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "write a file": "COPY (SELECT 1) TO '/tmp/rankme-written-by-the-site'",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "turn all triggers off": "SET session_replication_role = replica",
    "become the owner": f"SET ROLE {OWNER_ROLE}",
    "log in as the owner": f"SET SESSION AUTHORIZATION {OWNER_ROLE}",
    "become a superuser": f"ALTER ROLE {SITE_ROLE} SUPERUSER",
    "make a role": "CREATE ROLE accomplice",
    "make a database": "CREATE DATABASE elsewhere",
    "make a function": "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "make an extension": "CREATE EXTENSION plpython3u",
    "set a sequence back": "SELECT setval('rankme_submission_id_seq', 1)",
    "forge the migrations": "DELETE FROM django_migrations",
}


@pytest.mark.parametrize("table", RECORD)
@pytest.mark.parametrize("attempt", ON_EACH_TABLE)
def test_the_sites_role_cannot_change_the_record(as_site, table: str, attempt: str):
    with pytest.raises(InsufficientPrivilege):
        as_site.execute(ON_EACH_TABLE[attempt].format(table=table, key=RECORD[table]))


@pytest.mark.parametrize("attempt", ANYWHERE)
def test_the_sites_role_cannot_get_more_power(as_site, attempt: str):
    with pytest.raises((InsufficientPrivilege, psycopg2.errors.FeatureNotSupported)) as refusal:
        as_site.execute(ANYWHERE[attempt])
    assert "not available" not in str(refusal.value) or attempt == "make an extension"


def test_the_columns_that_change_can_be_changed_and_no_others(as_site):
    for model in roles.record_models():
        for field in model._meta.concrete_fields:
            statement = f"UPDATE {model._meta.db_table} SET {field.column} = {field.column}"
            if field.name in model.changeable:
                as_site.execute(f"{statement} WHERE FALSE")
            else:
                with pytest.raises(InsufficientPrivilege):
                    as_site.execute(statement)


def test_the_sites_role_may_do_everything_else(as_site):
    for model in apps.get_models(include_auto_created=True):
        if not issubclass(model, roles.Record):
            as_site.execute(
                "SELECT has_table_privilege(%s, 'SELECT') AND has_table_privilege(%s, 'INSERT')"
                " AND has_table_privilege(%s, 'UPDATE') AND has_table_privilege(%s, 'DELETE')",
                [model._meta.db_table] * 4,
            )
            assert as_site.fetchone() == (True,), model
    as_site.execute("ANALYZE (SKIP_LOCKED) rankme_submission")


# --- The owner: triggers refuse what rights cannot --------------------------------------------


@pytest.fixture
def one_of_each(db) -> None:
    repeats = [
        {"name": "repeat", "kind": "repeat", "criterion": "fluency", "options": {"apart": 1}}
    ]
    held = claim(make_rater(make_campaign(slider_definition(checks=repeats))))
    answer(held)
    RuleDecision.objects.create(
        campaign=held.campaign,
        participant=held.participant,
        action="flag",
        rule="screens > 0",
        parts=["screens > 0"],
        measures={},
    )
    settle(
        held.campaign,
        held.batch.trials.earliest("pk").item,
        None,
        {"fluency": 3},
        reason="Read again.",
        by=held.campaign.owner,
    )
    Look.objects.create(
        campaign=held.campaign,
        number=1,
        raters=12,
        data_sha256="0" * 64,
        result={},
        proposes_to_stop=False,
    )
    task = make_task(owner=held.campaign.owner)
    TaskEvent.objects.create(task=task, verb="sealed")
    SystemCode.objects.create(track=task.tracks.get(), code="S01")
    QuizAttempt.objects.create(participant=held.participant, number=1, answers={})
    QuarantinedPayload.objects.create(participant=held.participant, body="{", reason="broken")


@pytest.mark.parametrize("model", INSERT_ONLY, ids=lambda model: model.__name__)
@pytest.mark.parametrize(
    "change", ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
)
def test_the_triggers_refuse_the_owner_too(one_of_each, model, change: str):
    assert model.objects.exists()
    with (
        pytest.raises(IntegrityError, match="the record is never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(change.format(model._meta.db_table))


def test_without_its_trigger_the_owner_changes_a_judgement(one_of_each):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE rankme_judgement DISABLE TRIGGER USER")
        cursor.execute("UPDATE rankme_judgement SET value = 1")
        cursor.execute("ALTER TABLE rankme_judgement ENABLE TRIGGER USER")
    assert set(Judgement.objects.values_list("value", flat=True)) == {1}


@pytest.mark.django_db
def test_every_table_of_the_record_has_its_triggers():
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text, tgtype, tgenabled FROM pg_trigger")
        triggers = [(table, kind) for table, kind, enabled in cursor.fetchall() if enabled == "O"]
    for model in roles.record_models():
        kinds = [kind for table, kind in triggers if table == model._meta.db_table]
        # Bits of pg_trigger.tgtype: 2 before, 8 delete, 16 update, 32 truncate.
        assert any(kind & 2 and kind & 32 for kind in kinds), f"{model} can be truncated"
        if not model.changeable:
            assert any(kind & 2 and kind & 8 and kind & 16 for kind in kinds), model


# --- Making the roles ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[Servers]:
    """A cluster of its own, in which roles and databases can be made. One database is migrated."""
    with reachable_folder("rankme-roles-") as folder:
        servers = Servers(folder, durable=False)
        put_migrated_cluster(servers.postgresql)
        servers.postgresql.start()
        yield servers
        servers.postgresql.stop("immediate")


def tables_that_can_be_updated(url: str) -> set[str]:
    with connected(url) as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'rankme_%'"
            " AND has_table_privilege(oid, 'UPDATE')"
        )
        return {name for (name,) in cursor.fetchall()}


def test_a_database_of_one_role_gets_the_second_and_its_rights(cluster: Servers):
    server = cluster.postgresql
    with connected(server.owner_url) as cursor:
        cursor.execute(f"DROP OWNED BY {SITE_ROLE}; DROP ROLE {SITE_ROLE}")
    server.start()
    assert not tables_that_can_be_updated(server.url)
    two_roles = {"DATABASE_URL": server.url, "DATABASE_OWNER_URL": server.owner_url}
    for _ in ("the upgrade", "again"):
        migrated = manage(cluster, "migrate", **two_roles)
        assert migrated.returncode == 0, migrated.stderr
        can_be_updated = tables_that_can_be_updated(server.url)
        assert "rankme_campaign" in can_be_updated
        assert not can_be_updated & set(RECORD)


@pytest.fixture(scope="module")
def tenants_database(cluster: Servers) -> dict[str, str]:
    """A database as a provider rents it out: its owner is not a superuser."""
    with connected(cluster.postgresql.owner_url) as cursor:
        cursor.execute("CREATE ROLE tenant LOGIN")
        cursor.execute("CREATE DATABASE rented OWNER tenant")
    return {
        "DATABASE_OWNER_URL": cluster.postgresql.url_of("tenant", "rented"),
        "DATABASE_URL": cluster.postgresql.url_of(f"lodger:{secrets.token_hex(8)}", "rented"),
    }


@pytest.fixture
def rented(cluster: Servers, tenants_database: dict[str, str]) -> dict[str, str]:
    """The rented database, whose owner cannot create roles, without a role for the site."""
    with connected(cluster.postgresql.url_of(OWNER_ROLE, "rented")) as cursor:
        cursor.execute("ALTER ROLE tenant NOCREATEROLE")
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = 'lodger'")
        if cursor.fetchone():
            cursor.execute("DROP OWNED BY lodger; DROP ROLE lodger")
    return tenants_database


def test_a_database_of_version_1_is_upgraded_by_an_owner_that_makes_no_roles(cluster, rented):
    """It says what an administrator must do. What was written before gets its chain."""
    owner_alone = {"DATABASE_URL": rented["DATABASE_OWNER_URL"]}
    restore("1.0", rented["DATABASE_OWNER_URL"])
    with connected(rented["DATABASE_OWNER_URL"]) as cursor:
        for verb in ("account made", "password reset"):
            cursor.execute("INSERT INTO rankme_auditevent (verb, detail) VALUES (%s, '{}')", [verb])
    refused = manage(cluster, "migrate", **rented)
    assert refused.returncode != 0
    assert "CREATE ROLE lodger LOGIN PASSWORD" in refused.stderr
    with connected(cluster.postgresql.owner_url) as cursor:
        cursor.execute("CREATE ROLE lodger LOGIN")
    migrated = manage(cluster, "migrate", **rented)
    assert migrated.returncode == 0, migrated.stderr
    can_be_updated = tables_that_can_be_updated(rented["DATABASE_URL"])
    assert "rankme_campaign" in can_be_updated
    assert not can_be_updated & set(RECORD)
    with connected(rented["DATABASE_URL"]) as cursor:
        cursor.execute("INSERT INTO rankme_auditevent (verb, detail) VALUES ('token given', '{}')")
        cursor.execute(
            "SELECT number, length(chain_sha256) FROM rankme_auditevent"
            " WHERE campaign_id IS NULL ORDER BY id"
        )
        chain = cursor.fetchall()
        assert chain == [(number, 64) for number in range(1, len(chain) + 1)]
        assert len(chain) > 2
    warned = manage(cluster, "check", "--database", "default", **owner_alone)
    assert "tenant of the site could change the record: it owns rankme_" in warned.stderr


def test_migrating_creates_the_role_with_the_password_of_its_address(cluster, rented, as_site):
    with connected(cluster.postgresql.owner_url) as cursor:
        cursor.execute("ALTER ROLE tenant CREATEROLE")
        migrated = manage(cluster, "migrate", **rented)
        assert migrated.returncode == 0, migrated.stderr
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'lodger'")
        assert cursor.fetchone()[0].startswith("SCRAM-SHA-256$")
    with connected(rented["DATABASE_OWNER_URL"]) as cursor:
        made_from_nothing = schema(cursor)
    assert schema(as_site) == made_from_nothing, "the database of all tests, which is a copy"


# --- What is refused ----------------------------------------------------------------------------


def test_no_server_in_production_knows_the_owners_address(servers: Servers):
    owner = servers.postgresql.owner_url
    started = run(PROCESSES["web"], servers, PORT="0", DATABASE_OWNER_URL=owner)
    assert started.returncode != 0
    assert "Only `manage.py migrate` needs it" in started.stderr


@pytest.mark.django_db
def test_the_check_names_the_power(settings):
    settings.DATABASE_OWNER = None
    (warning,) = checks.powerful_role("default")
    assert warning.msg.endswith("it is a superuser.")
    assert not warning.is_serious()
    settings.PRODUCTION = True
    (error,) = checks.powerful_role("default")
    assert error.is_serious()
