"""The pages of operators: health, jobs, figures, users, the audit log, backups and settings."""

import csv
import io
import re
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import bearer
from tests.http.visitors import PASSWORD, Page, Visitor, visitor
from werkzeug.test import TestResponse

from repaircore.checkup.model import WindowStore
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Role
from repaircore.kernel.errors import Unavailable
from repaircore.shared_services import now
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

NEW = "battery staple"
PAGES = ("health", "jobs", "figures", "users", "audit", "backups", "settings")


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def root(core: Core, client: FlaskClient) -> Visitor:
    return visitor(client, "Root", core=core)


@pytest.fixture
def ada(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Ada")


def user_id(core: Core, email: str) -> int:
    user = core.accounts.caller_for(email).user_id
    assert user is not None
    return user


def words(answer: TestResponse) -> str:
    return Page(answer.text).words


def actions(core: Core, limit: int = 1) -> list[tuple[str, int | None]]:
    return [(entry.action, entry.user_id) for entry in core.audit.list_newest(limit=limit)]


def open_admin(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Root", core=core)


# Navigation


def test_pages_share_one_menu_entry(root: Visitor) -> None:
    for name in PAGES:
        page = root.page(f"/console/admin/{name}")
        current = [
            expected["href"]
            for tag, expected in page.tags
            if tag == "a" and expected.get("aria-current") == "page"
        ]
        # In the menu of a wide screen and of a phone, and among the tabs.
        assert current == ["/console/admin/health"] * 2 + [f"/console/admin/{name}"]
    assert not [tag for tag, expected in root.page("/console").tags if expected.get("class") == "tabs"]


# Health


def test_health_shows_what_to_fix_first(core: Core) -> None:
    environ = {"REPAIRCORE_REQUESTS_PER_MINIT": "60", "REPAIRCORE_SERVER_SETUP_LINK": "", "PATH": "/bin"}
    changed = core.replacing(checkup=evolve(core.checkup, environ=environ))
    shown = open_admin(changed).page("/console/admin/health").words

    assert re.search(r"\d of \d+ checks failed\.", shown)
    assert "Requests are served." in shown
    failed = shown.index("REPAIRCORE_REQUESTS_PER_MINIT failed There is no such setting")
    assert failed < shown.index("Passed") < shown.index("database revision")
    assert "SETUP_LINK" not in shown


def test_health_page_works_while_parts_are_down(core: Core) -> None:
    def no_answer() -> None:
        raise Unavailable("The store is not responding.")

    def broken() -> tuple[str, str]:
        raise RuntimeError("only for the log")

    def obstacles() -> list[str]:
        raise Unavailable("The database is being restored.")

    changed = core.replacing(
        checkup=evolve(
            core.checkup,
            environ={},
            windows=lambda: [WindowStore("rate windows", "Redis at cache.example.com", no_answer)],
            vin_data=broken,
        ),
        readiness=evolve(core.readiness, database_obstacles=obstacles),
    )
    shown = open_admin(changed).page("/console/admin/health").words

    assert "Requests cannot be served." in shown
    assert "This keeps requests from being served: The database is being restored." in shown
    assert "The store is not responding. Check that it is running and reachable" in shown
    assert (
        "components failed The check failed with RuntimeError: see the server's log, and report it" in shown
    )
    assert "only for the log" not in shown


@pytest.mark.usefixtures("durable")
def test_health_without_problems_says_so(open_core: OpenCore, database_url: str) -> None:
    core = open_core()
    changed = core.replacing(
        checkup=evolve(core.checkup, environ={}, clock=now if "postgres" in database_url else core.clock)
    )
    shown = open_admin(changed).page("/console/admin/health").words

    assert re.search(r"All \d+ checks passed\. Requests are served\.", shown), shown
    assert "To fix" not in shown


# Jobs


def test_jobs_are_listed_and_run_on_request(core: Core, root: Visitor) -> None:
    core.jobs.run_due()
    shown = root.page("/console/admin/jobs").words
    assert (
        "payments.reconcile Finishes or undoes payments that were interrupted. Runs every 15 seconds."
        in shown
    )
    assert (
        "estimates.refit Fits the estimates to all invoices. Runs daily at 03:00 UTC. Last run none since"
        in shown
    )
    assert "0 finished, 0 undone, 0 waiting, 0 stuck" in shown

    answer = root.post("/console/admin/jobs/estimates.refit/run", follow=True)
    assert "The job was requested." in words(answer)
    assert "estimates.refit requested" in words(answer)
    assert "/console/admin/jobs/estimates.refit/run" not in Page(answer.text).actions
    assert actions(core) == [("job.request", user_id(core, root.email))]
    assert "estimates.refit" in {run.name for run in core.jobs.run_due()}
    shown = root.page("/console/admin/jobs").words
    assert "0 test, 0 live" in shown or "0 live, 0 test" in shown


def test_failed_and_late_jobs_are_marked(core: Core, root: Visitor, clock: FrozenClock) -> None:
    lease = core.jobs.list_leases()[0]
    with core.storage.transaction() as work:
        work.job_leases.acquire(lease, holder="here 1 2", until=clock.now)
        work.job_leases.release(
            lease.name, holder="here 1 2", began_at=clock.now, at=clock.now, failure="It rained."
        )
    shown = root.page("/console/admin/jobs").words
    assert f"{lease.name} failed" in shown
    assert "It rained." in shown
    core.jobs.request_run(lease.name)
    clock.advance(core.jobs.jobs[0].every)
    assert "Check that repaircore serve or repaircore jobs run is running." in words(
        log_in_admin_again(core).get("/console/admin/jobs")
    )


def log_in_admin_again(core: Core) -> Visitor:
    """Log the admin in again after their session has ended."""
    admin = Visitor(serve_core(core).test_client())
    admin.email = "root@example.org"
    admin.log_in()
    return admin


def test_unknown_job_gets_a_readable_error(root: Visitor) -> None:
    root.get("/console/admin/jobs")
    answer = root.post("/console/admin/jobs/fly/run")
    assert answer.status_code == 404
    assert "There is no job fly." in words(answer)


# Figures


def test_figures_say_how_to_enable_metrics(root: Visitor) -> None:
    shown = root.page("/console/admin/figures").words

    assert "Nothing is waiting." in shown
    assert "REPAIRCORE_METRICS=on" in shown


def test_figures_show_queues_requests_and_models(open_core: OpenCore, clock: FrozenClock) -> None:
    core = open_core(metrics=True)
    root = open_admin(core)
    core.operator_links.invite(name="Bo", email="bo@example.org")
    evolve(core.operator_links, sends_mails=True).create("bo@example.org", mail=True)
    clock.advance(timedelta(minutes=3))
    page = root.page("/console/admin/figures")

    assert "E-mails the oldest has waited 3 minutes 1" in page.words
    assert "/console/account" in page.words
    assert re.search(r"Requests \d+ Rejected \(4xx\) 0 Failed \(5xx\) 0 Mean duration", page.words)
    assert "No models called yet." in page.words
    assert [tag for tag, _ in page.tags].count("rect") > 4


# Users


def test_users_are_searched_filtered_and_sorted(core: Core, root: Visitor) -> None:
    core.accounts.create_user(name="Bo <b>", email="bo@example.org", password=PASSWORD)
    core.accounts.create_user(name="Cy", email="cy@example.org", password=PASSWORD)
    core.user_administration.lock("cy@example.org")

    def found(query: str) -> list[str]:
        page = root.page(f"/console/admin/users{query}")
        return re.findall(r"\S+@example\.org", page.words)

    assert found("") == ["cy@example.org", "bo@example.org", root.email]
    assert found("?sort=email") == ["bo@example.org", "cy@example.org", root.email]
    assert found("?search=BO") == ["bo@example.org"]
    assert found("?role=admin&search=&state=") == [root.email]
    assert found("?state=locked") == ["cy@example.org"]
    assert "No users match." in root.page("/console/admin/users?search=nobody").words
    assert "There is no page 9." in root.page("/console/admin/users?page=9").words
    assert "<b>" not in root.get("/console/admin/users").text


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("role=king", "The role field must be one of: user, admin."),
        ("state=away", "The state field must be one of: active, locked."),
        (
            "sort=luck",
            "The sort field must be one of: created_at, -created_at, name, -name, email, -email.",
        ),
        ("page=0", "The page field must be at least 1."),
        ("page=x", "The page field must be an integer."),
    ],
)
def test_unknown_filter_of_users_gets_a_readable_error(root: Visitor, query: str, message: str) -> None:
    answer = root.get(f"/console/admin/users?{query}")

    assert answer.status_code == 422
    assert message in words(answer)
    assert root.email in words(answer)


def test_users_are_paged(core: Core, root: Visitor) -> None:
    for number in range(21):
        core.operator_links.invite(name=f"User {number}", email=f"{number}@example.org")
    page = root.page("/console/admin/users?sort=created_at&page=2")

    assert "22 users." in page.words
    assert re.findall(r"\d+@example\.org", page.words) == ["19@example.org", "20@example.org"]
    (before,) = [expected["href"] for _, expected in page.tags if expected.get("rel") == "prev"]
    assert "User 0" in root.page(before).words


def test_new_user_sets_a_password_with_a_link_shown_once(core: Core, root: Visitor) -> None:
    form = root.page("/console/admin/users/new")
    assert "this installation does not send e-mail" in form.words
    wrong = root.post("/console/admin/users/new", {"name": "", "email": "bo"})
    assert wrong.status_code == 422
    assert 'aria-invalid="true"' in wrong.text
    taken = root.post("/console/admin/users/new", {"name": "Root", "email": root.email})
    assert "The email has already been taken." in words(taken)

    answer = root.post("/console/admin/users/new", {"name": "Bo", "email": "Bo@example.org"})
    assert answer.status_code == 201
    (path,) = re.findall(r"http://\S+?(/console/reset/prl_\w+)", words(answer))
    assert "Copy the link now." in words(answer)
    assert path not in root.get(f"/console/admin/users/{user_id(core, 'bo@example.org')}").text
    bo = Visitor(serve_core(core).test_client())
    bo.email = "bo@example.org"
    bo.get(path)
    assert bo.post(path, {"password": NEW}).status_code == 303
    assert bo.log_in(NEW).headers["Location"] == "/console"
    assert bo.get("/console/admin/users").status_code == 403


def test_link_is_mailed_if_mail_is_configured(core: Core) -> None:
    changed = core.replacing(operator_links=evolve(core.operator_links, sends_mails=True))
    root = open_admin(changed)
    root.get("/console/admin/users/new")
    answer = root.post("/console/admin/users/new", {"name": "Bo", "email": "bo@example.org", "mail": "true"})

    assert "is on its way to bo@example.org" in words(answer)
    assert "/console/reset/" not in answer.text
    bo = user_id(core, "bo@example.org")
    again = root.post(
        f"/console/admin/users/{bo}/link", {"mail": "true", "current_password": PASSWORD}, follow=True
    )
    assert "is on its way to bo@example.org" in words(again)
    odd = root.post("/console/admin/users/new", {"name": "Cy", "email": "cy@example.org", "mail": "pigeon"})
    assert odd.status_code == 422


def test_sensitive_changes_require_the_password(core: Core, root: Visitor, ada: Visitor) -> None:
    path = f"/console/admin/users/{user_id(core, ada.email)}"
    for change in ("promote", "link"):
        root.get(path)
        for fields in ({}, {"current_password": "wrong horse"}):
            answer = root.post(f"{path}/{change}", fields)
            page = Page(answer.text)
            assert answer.status_code == 422
            assert f"{change}-password-error1" in page.ids
            assert len([tag for tag, expected in page.tags if tag == "details" and "open" in expected]) == 1
    assert core.accounts.caller_for(ada.email).role is Role.USER


def test_user_is_promoted_and_demoted(core: Core, root: Visitor, ada: Visitor) -> None:
    path = f"/console/admin/users/{user_id(core, ada.email)}"
    root.get(path)
    answer = root.post(f"{path}/promote", {"current_password": PASSWORD}, follow=True)
    assert "The user is an admin now." in words(answer)
    assert ada.get("/console/admin/users").status_code == 200
    assert actions(core) == [("user.set_role", user_id(core, root.email))]
    answer = root.post(f"{path}/demote", follow=True)
    assert "The user is no longer an admin." in words(answer)
    assert ada.get("/console/admin/users").status_code == 403


def test_own_account_cannot_be_demoted_or_locked(core: Core, root: Visitor) -> None:
    path = f"/console/admin/users/{user_id(core, root.email)}"
    page = root.page(path)
    assert "This is your own account." in page.words
    assert not [action for action in page.actions if action.startswith(path)]
    for change in ("demote", "lock"):
        answer = root.post(f"{path}/{change}")
        assert answer.status_code == 409
        assert "This is your own account; nothing was changed." in words(answer)
    assert core.accounts.caller_for(root.email).is_admin


def test_locked_account_has_no_access_until_unlocked(core: Core, root: Visitor, ada: Visitor) -> None:
    caller = core.accounts.caller_for(ada.email)
    key = core.accounts.create_key(name="shop", environment="live", caller=caller)
    api, path = serve_core(core).test_client(), f"/console/admin/users/{caller.user_id}"
    assert "API keys 1 Open sessions 1" in root.page(path).words
    answer = root.post(f"{path}/lock", follow=True)
    assert "The account is locked." in words(answer)

    assert ada.get("/console/account").status_code == 303
    assert api.post("/api/v1/predict", json={}, headers=bearer(key.secret_key)).status_code == 401
    assert api.post("/api/v1/predict", json={}, headers=bearer(key.key.public_key)).status_code == 401
    login = ada.log_in()
    assert login.status_code == 401
    assert "This account is locked." in words(login)
    api_login = api.post("/api/v1/auth/login", json={"email": ada.email, "password": PASSWORD})
    assert api_login.status_code == 401
    root.get(path)
    assert root.post(f"{path}/link", {"current_password": PASSWORD}).status_code == 409
    assert "The account is unlocked." in words(root.post(f"{path}/unlock", follow=True))
    assert api.post("/api/v1/predict", json={}, headers=bearer(key.secret_key)).status_code == 422
    assert ada.log_in().headers["Location"] == "/console"


def test_reload_of_a_link_returns_to_the_user(core: Core, root: Visitor, ada: Visitor) -> None:
    path = f"/console/admin/users/{user_id(core, ada.email)}"
    assert root.get(f"{path}/link").headers["Location"] == path
    assert root.get("/console/admin/users/987654").status_code == 404


def test_accounts_cannot_be_changed_from_the_test_environment(
    core: Core, root: Visitor, ada: Visitor
) -> None:
    path = f"/console/admin/users/{user_id(core, ada.email)}"
    root.get(path)
    root.post("/console/environment", {"environment": "test"})
    assert "switch to Live" in root.page(path).words
    for change in ("lock", "unlock", "demote", "promote", "link"):
        assert root.post(f"{path}/{change}", {"current_password": PASSWORD}).status_code == 403
    for other in ("users/new", "backups", "jobs/messages.prune/run"):
        fields = {"name": "Bo", "email": "bo@example.org", "current_password": PASSWORD}
        assert root.post(f"/console/admin/{other}", fields).status_code == 403


# Audit log


def test_audit_log_is_filtered_and_downloaded(core: Core, root: Visitor, clock: FrozenClock) -> None:
    assert "No changes yet." in root.page("/console/admin/audit").words
    core.predictions.adjust_prices(5.0, core.accounts.caller_for(root.email))
    core.accounts.create_user(name="=cmd()", email="bo@example.org", password=PASSWORD)
    shown = root.page("/console/admin/audit").words
    assert "2 changes, newest first." in shown
    assert "price_adjustment.set price_adjustment percent: 0.0 → 5.0" in shown
    mine = root.page(f"/console/admin/audit?who={root.email}")
    assert "1 change, newest first." in mine.words
    assert f"/console/admin/audit.csv?who={root.email}" in {expected.get("href") for _, expected in mine.tags}
    installation = root.page("/console/admin/audit?who=installation&action=user.create")
    assert "the installation (command line)" in installation.words
    today = f"{clock.now:%Y-%m-%d}"
    assert "2 changes" in root.page(f"/console/admin/audit?date_from={today}&date_to={today}").words
    assert "No changes match." in root.page("/console/admin/audit?date_to=2020-01-01").words

    answer = root.get(f"/console/admin/audit.csv?who={root.email}")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["email"], row["action"], row["after"]) == (
        root.email,
        "price_adjustment.set",
        '{"percent":5.0}',
    )
    assert len([*csv.reader(io.StringIO(root.get("/console/admin/audit.csv").text))]) == 3


def test_audit_log_names_a_provider_who_stopped_the_requests(core: Core, root: Visitor) -> None:
    with core.storage.transaction() as work:
        work.audit.add(
            LOCAL,
            "driver.stop",
            "drivers/drv_1",
            before={"active": True},
            after={"active": False},
            at=core.clock(),
        )
    shown = root.page("/console/admin/audit?action=driver.stop").words
    (row,) = csv.DictReader(io.StringIO(root.get("/console/admin/audit.csv?action=driver.stop").text))

    assert "the provider" in shown
    assert "the installation" not in shown
    assert (row["actor"], row["user_id"]) == ("provider", "")
    assert "No changes match." in root.page("/console/admin/audit?who=installation&action=driver.stop").words


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("who=nobody@example.org", "There is no user with the e-mail nobody@example.org."),
        ("action=user.fly", "The audit log has no action user.fly."),
        ("date_from=yesterday", "The date from field must be a date"),
        ("date_from=2026-01-02&date_to=2026-01-01", "The last day must not be before the first day."),
    ],
)
def test_unknown_filter_of_the_log_gets_a_readable_error(
    core: Core, root: Visitor, query: str, message: str
) -> None:
    core.predictions.adjust_prices(5.0, LOCAL)
    answer = root.get(f"/console/admin/audit?{query}")

    assert answer.status_code == 422
    assert message in words(answer)
    assert "price_adjustment.set" in words(answer)
    assert root.get(f"/console/admin/audit.csv?{query}").status_code == 422


# Backups


def test_backup_is_downloaded_and_recorded(core: Core, root: Visitor, tmp_path: Path) -> None:
    assert "We do not know of any backup." in root.page("/console/admin/backups").words
    wrong = root.post("/console/admin/backups", {"current_password": "wrong horse"})
    assert wrong.status_code == 422
    assert "The current password is wrong." in words(wrong)
    answer = root.post("/console/admin/backups", {"current_password": PASSWORD})

    assert answer.status_code == 200
    assert re.fullmatch(
        r'attachment; filename="repaircore-\d{4}-\d\d-\d\d-\d{4}\.zip"', answer.headers["Content-Disposition"]
    )
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    file = tmp_path / "downloaded.zip"
    file.write_bytes(answer.data)
    manifest = core.backups.verify(file)
    assert actions(core) == [("backup.make", user_id(core, root.email))]
    shown = root.page("/console/admin/backups").words
    assert f"{manifest.rows:,} rows, revision {manifest.revision}, by {root.email}" in shown
    assert not [*core.settings.state.glob("*download-*")]


def test_backup_by_the_command_is_recorded(core: Core, root: Visitor, tmp_path: Path) -> None:
    core.backups.record(core.backups.make(tmp_path / "backup.zip"))

    assert "by the command line" in root.page("/console/admin/backups").words


# Settings


def test_settings_are_shown_without_secrets(open_core: OpenCore) -> None:
    core = open_core(requests_per_minute=77)
    environ = {"REPAIRCORE_REQUESTS_PER_MINUTE": "77"}
    changed = core.replacing(checkup=evolve(core.checkup, environ=environ))
    page = open_admin(changed).page("/console/admin/settings")

    chosen, _, defaults = page.words.partition(" Defaults ")
    assert re.search(r"REPAIRCORE_REQUESTS_PER_MINUTE \S.* 77", chosen)
    assert "REPAIRCORE_SECRET_KEY" in chosen
    assert "set by the program" in chosen
    assert core.settings.secret_key is not None
    assert core.settings.secret_key not in page.words
    assert "REPAIRCORE_LOG_LEVEL" in defaults
    assert page.actions.count("/console/logout") == len(page.actions) - 1  # and the switch of environments
