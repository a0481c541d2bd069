"""The whole document, tested by schemathesis with all of its checks, on both databases.

``REPAIRCORE_TEST_EXAMPLES`` is the number of examples for each operation; with it, the bounds of the schemas and chains of
calls are tested as well (``nox -s schemathesis``). Without it, a short run covers as many operations as fit in some seconds.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import schemathesis
from attrs import evolve
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import StopReason, from_schema
from schemathesis.engine.events import EngineFinished, FatalError, NonFatalError, ScenarioFinished
from tests.conftest import OpenCore
from tests.http.partners import PREFIX, PartnerApp, partner_app
from tests.http.people import Person, person, promoted
from tests.http.providers import with_cars, with_provider
from typing_extensions import override
from werkzeug.serving import WSGIRequestHandler, make_server

from repaircore.testing.builders import a_campaign, a_recalled_vehicle
from repaircore_http.app import Api
from repaircore_http.core import EXTENSION
from repaircore_http.service import serve_core

# Hypothesis warns about its own examples and their speed, which says nothing about the service.
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")]

NO_LIMIT = 1_000_000
DEFAULT_EXAMPLES = 1
SHORT_RUN_SECONDS = 15


@pytest.fixture
def app(open_core: OpenCore) -> Api:
    core = open_core(
        requests_per_minute=NO_LIMIT,
        predictions_per_minute=NO_LIMIT,
        chat_starts_per_day=NO_LIMIT,
        partner_requests_per_minute_test=100_000,
        partner_requests_per_minute_unknown=100_000,
        login_failures_per_minute=1000,
        registrations_per_hour=100_000,
    )
    with core.storage.transaction() as work:
        work.recalls.save_campaigns([a_campaign()])
        work.recalls.save_vehicles([a_recalled_vehicle()])
        work.recalls.cover_years(range(1990, 2051))
    core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
    return serve_core(with_cars(with_provider(core, core.lookups.sandbox), core.connected_cars.sandbox))


@pytest.fixture
def address(app: Api) -> Iterator[str]:
    """Serve the application to this machine alone, in this process."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def partner(app: Api) -> PartnerApp:
    return partner_app(app.test_client(), app.extensions[EXTENSION])


class _Quiet(WSGIRequestHandler):
    @override
    def log(self, type: str, message: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def admin(app: Api) -> Person:
    return promoted(app.extensions[EXTENSION], person(app.test_client(), "Ada"))


def auth_class(admin: Person, partner: PartnerApp) -> type:
    """Return the auth class for an admin's management token, or a partner's; a logout gets its own token to end."""

    class TokenAuth:
        def get(self, case: Any, _ctx: Any) -> str:
            if case.path.startswith(PREFIX):
                return partner.token
            if not case.path.endswith("/logout"):
                return admin.token
            login = {"email": admin.email, "password": "correct horse"}
            answer = admin.client.post("/api/v1/auth/login", json=login)
            token: str = answer.get_json()["data"]["session_token"]
            return token

        def set(self, case: Any, data: str, _ctx: Any) -> None:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}

    return TokenAuth


_ENDS = {StopReason.COMPLETED, StopReason.MAX_TIME}


def failures_in(event: Any) -> list[str]:
    """List the failures in an event."""
    match event:
        case ScenarioFinished():
            return [
                f"{event.recorder.label} [{check.name}] {check.failure_info.failure.title}: "
                f"{check.failure_info.failure.message}\n    {check.failure_info.code_sample}"
                for checks in event.recorder.checks.values()
                for check in checks
                if check.failure_info is not None
            ]
        case NonFatalError():
            return [f"{event.label}: {event.value}"]
        case FatalError():
            return [str(event.exception)]
        case EngineFinished() if event.stop_reason not in _ENDS:
            return [f"It was stopped: {event.stop_reason}."]
    return []


def test_nothing_departs_from_the_document(address: str, admin: Person, partner: PartnerApp) -> None:
    config = SchemathesisConfig.from_path(Path(__file__).with_name("schemathesis.toml"))
    project = config.projects.default
    project.generation.max_examples = int(os.environ.get("REPAIRCORE_TEST_EXAMPLES", DEFAULT_EXAMPLES))
    # The bounds of every schema and chains of calls take minutes, so a short run skips them.
    thorough = "REPAIRCORE_TEST_EXAMPLES" in os.environ
    config.max_time = None if thorough else SHORT_RUN_SECONDS
    project.phases.coverage.enabled = project.phases.stateful.enabled = thorough
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json", config=config)
    schema.auth(refresh_interval=None)(auth_class(admin, partner))

    tested: set[str] = set()
    failures: list[str] = []
    for event in from_schema(schema).execute():
        failures += failures_in(event)
        if isinstance(event, ScenarioFinished):
            tested.add(event.recorder.label)
    distinct = dict.fromkeys(failures)
    assert not distinct, f"{len(distinct)} departures:\n\n" + "\n\n".join(distinct)
    assert tested
    if thorough:
        paths = schema.raw_schema["paths"]
        fields = {f"{method.upper()} {path}" for path, of_path in paths.items() for method in of_path}
        assert fields - tested <= {"GET /api/openapi.json"}  # which is read before all others
