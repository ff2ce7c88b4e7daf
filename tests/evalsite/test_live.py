"""The site as real processes: any killed process comes back without help."""

from django.contrib.auth import get_user_model

from tests.live import LiveSite, readiness, wait_for


def test_what_a_test_writes_the_site_can_see(live_site: LiveSite):
    get_user_model().objects.create_user("ada", password="a long enough word")
    listed = live_site.manage(
        "shell",
        "--verbosity",
        "0",
        "-c",
        "from django.contrib.auth.models import User; print(User.objects.get().username)",
    )
    assert listed.strip() == "ada"


def test_the_site_answers_again_after_the_database_was_pulled(live_site: LiveSite):
    assert readiness(live_site) == 200
    live_site.stop_postgresql()
    assert readiness(live_site) == 503
    live_site.start_postgresql()
    assert readiness(live_site) == 200


def test_a_killed_web_server_starts_again(live_site: LiveSite):
    live_site.kill_web()
    assert not live_site.web_answers()
    live_site.start_web()
    assert readiness(live_site) == 200


def test_a_killed_web_child_is_replaced(live_site: LiveSite):
    live_site.kill_web_child()
    wait_for(lambda: readiness(live_site) == 200, "the web server")


def test_a_browser_reaches_the_site(page):
    assert page.goto("/healthz/").status == 200
