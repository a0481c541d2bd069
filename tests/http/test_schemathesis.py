"""The whole document, tried by schemathesis with all of its checks, on both databases.

``REPAIRCORE_TEST_EXAMPLES`` says how many examples are made up for each operation; with it, what lies at the bounds of the
schemas is tried as well, and calls that build upon one another (``nox -s schemathesis``). Without it, a look of
some seconds at as many operations as they suffice for.
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

# Of what it makes up, and how long that takes: nothing that says anything of the service.
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")]

MANY = 1_000_000
FEW = 1
A_LOOK = 15


@pytest.fixture
def app(open_core: OpenCore) -> Api:
    core = open_core(
        requests_per_minute=MANY,
        predictions_per_minute=MANY,
        chat_starts_per_day=MANY,
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


def signed(admin: Person, asking: PartnerApp) -> type:
    """Make the class that shows an admin's management token, or a partner's; a logout gets one of its own to end."""

    class Signed:
        def get(self, case: Any, _ctx: Any) -> str:
            if case.path.startswith(PREFIX):
                return asking.token
            if not case.path.endswith("/logout"):
                return admin.token
            login = {"email": admin.email, "password": "correct horse"}
            answer = admin.client.post("/api/v1/auth/login", json=login)
            token: str = answer.get_json()["data"]["session_token"]
            return token

        def set(self, case: Any, data: str, _ctx: Any) -> None:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}

    return Signed


_ENDS = {StopReason.COMPLETED, StopReason.MAX_TIME}


def faults_in(event: Any) -> list[str]:
    """Say what schemathesis found, each once."""
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
    project.generation.max_examples = int(os.environ.get("REPAIRCORE_TEST_EXAMPLES", FEW))
    # The bounds of every schema, and chains of calls, take minutes: they are for who asks for more than a look.
    thorough = "REPAIRCORE_TEST_EXAMPLES" in os.environ
    config.max_time = None if thorough else A_LOOK
    project.phases.coverage.enabled = project.phases.stateful.enabled = thorough
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json", config=config)
    schema.auth(refresh_interval=None)(signed(admin, partner))

    tried: set[str] = set()
    found: list[str] = []
    for event in from_schema(schema).execute():
        found += faults_in(event)
        if isinstance(event, ScenarioFinished):
            tried.add(event.recorder.label)
    departures = dict.fromkeys(found)
    assert not departures, f"{len(departures)} departures:\n\n" + "\n\n".join(departures)
    assert tried
    if thorough:
        paths = schema.raw_schema["paths"]
        fields = {f"{method.upper()} {path}" for path, of_path in paths.items() for method in of_path}
        assert fields - tried <= {"GET /api/openapi.json"}  # which has been read before all others
