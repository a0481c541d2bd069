"""Service schedules over HTTP, over both databases: planned, listed by status, completed, cancelled, deleted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.http.people import ACCORD, Person, bearer
from tests.http.shape import moment, nullable, shaped, uuid
from tests.http.test_bad_input import UNREADABLE
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Conflict
from repaircore.schedules.model import Status
from repaircore.schedules.validation import CreateSchedule, UpdateSchedule
from repaircore.testing.clock import FrozenClock

PATH = "/api/v1/fleet/service-schedules"
VEHICLES = "/api/v1/fleet/vehicles"
OTHER = "1HGCM82633A000001"
UNKNOWN_ID = str(UUID(int=7))
OIL: dict[str, Any] = {"vehicle": ACCORD, "title": "Oil change", "due_on": "2026-01-20"}
SCHEDULE: dict[str, Any] = {
    "id": uuid,
    "vehicle": {
        "id": uuid,
        "vin": str,
        "display_name": str,
        "year": int,
        "make": str,
        "model": str,
    },
    "problem_identifier": nullable(str),
    "problem_name": nullable(str),
    "title": str,
    "due_on": nullable(str),
    "due_mileage": nullable(int),
    "interval_miles": nullable(int),
    "interval_months": nullable(int),
    "notes": nullable(str),
    "status": str,
    "odometer": nullable(int),
    "completed_on": nullable(str),
    "completed_mileage": nullable(int),
    "allowed_actions": [str],
    "created_at": moment,
    "ended_at": nullable(moment),
    "version": int,
}
META = {"current_page": int, "per_page": int, "total": int, "last_page": int}


def put(person: Person, path: str, body: object = None) -> TestResponse:
    return person.client.put(path, json=body, headers=bearer(person.token))


def plan(person: Person, **changes: Any) -> Any:
    answer = person.post(PATH, {**OIL, **changes})
    assert answer.status_code == 201, answer.text
    assert shaped({"success": True, "message": str, "data": SCHEDULE}, answer.json)
    return answer.get_json()["data"]


def change(person: Person, schedule: Any, **data: Any) -> Any:
    answer = put(person, f"{PATH}/{schedule['id']}", data)
    assert answer.status_code == 200, answer.text
    shape = {**SCHEDULE, "next": nullable(SCHEDULE)}
    assert shaped({"success": True, "message": str, "data": shape}, answer.json)
    return answer.get_json()["data"]


def get_schedule(person: Person, schedule: Any) -> Any:
    answer = person.get(f"{PATH}/{schedule['id']}")
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": SCHEDULE}, answer.json)
    return answer.get_json()["data"]


def list_schedules(person: Person, query: str = "", *, path: str = PATH) -> Any:
    answer = person.get(f"{path}?{query}")
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": [SCHEDULE], "meta": META}, answer.json)
    return answer.get_json()


def titles(person: Person, query: str = "", *, path: str = PATH) -> list[str]:
    return [one["title"] for one in list_schedules(person, query, path=path)["data"]]


def drive(person: Person, odometer: int, vehicle: str = ACCORD) -> None:
    answer = person.post(f"{VEHICLES}/{vehicle}/compliance", {"odometer": odometer})
    assert answer.status_code == 200, answer.text


def test_create_plans_a_service_with_a_status_by_date(ada: Person, clock: FrozenClock) -> None:
    schedule = plan(ada, due_mileage=60_000, interval_months=6, interval_miles=5_000, notes=" 0W-20 ")
    assert schedule["vehicle"]["vin"] == ACCORD
    assert (schedule["title"], schedule["notes"]) == ("Oil change", "0W-20")
    assert (schedule["due_on"], schedule["due_mileage"]) == ("2026-01-20", 60_000)
    assert (schedule["interval_months"], schedule["interval_miles"]) == (6, 5_000)
    assert (schedule["status"], schedule["odometer"], schedule["version"]) == ("due", None, 1)
    assert schedule["allowed_actions"] == ["change", "complete", "cancel"]
    assert get_schedule(ada, schedule) == schedule
    clock.advance(timedelta(days=18))
    assert get_schedule(ada, schedule)["status"] == "due"
    clock.advance(timedelta(days=1))

    assert get_schedule(ada, schedule)["status"] == "overdue"


def test_status_by_miles_requires_an_odometer(ada: Person) -> None:
    schedule = plan(ada, due_on=None, due_mileage=60_000)
    assert schedule["status"] == "upcoming"
    for odometer, status in ((59_499, "upcoming"), (59_500, "due"), (60_000, "due"), (60_001, "overdue")):
        drive(ada, odometer)
        now = get_schedule(ada, schedule)
        assert (now["status"], now["odometer"]) == (status, odometer)


def test_create_accepts_a_vin_or_an_id(ada: Person) -> None:
    first = plan(ada)
    second = plan(ada, vehicle=first["vehicle"]["id"], title="Tires")
    assert second["vehicle"] == first["vehicle"]
    for name in (ACCORD, first["vehicle"]["id"]):
        assert titles(ada, path=f"{VEHICLES}/{name}/service-schedules") == ["Oil change", "Tires"]
        assert titles(ada, f"vehicle={name}") == ["Oil change", "Tires"]

    assert titles(ada, f"vehicle={OTHER}") == []
    assert titles(ada, path=f"{VEHICLES}/{OTHER}/service-schedules") == []


def test_create_with_a_repair_uses_its_name(ada: Person) -> None:
    schedule = plan(ada, title=None, problem_identifier="brake-pads-front")
    assert schedule["problem_identifier"] == "brake-pads-front"
    assert schedule["title"] == schedule["problem_name"]
    by_id = plan(ada, title="Pads", problem_identifier="101")
    assert by_id["title"] == "Pads"
    assert by_id["problem_identifier"] is not None
    without = change(ada, schedule, problem_identifier=None)

    assert (without["problem_identifier"], without["title"]) == (None, schedule["title"])


def test_index_pages_by_status_without_gaps(ada: Person) -> None:
    for number in range(9):
        plan(ada, title=f"late {number}", due_on="2025-12-01")
        plan(ada, title=f"soon {number}", due_on="2026-01-02")
        plan(ada, title=f"later {number}", due_on="2026-06-01")
    done = plan(ada, title="done")
    change(ada, done, status="completed")
    cancelled = plan(ada, title="gone")
    change(ada, cancelled, status="cancelled")
    for status, start in (("overdue", "late"), ("due", "soon"), ("upcoming", "later")):
        pages = [list_schedules(ada, f"status={status}&per_page=4&page={number}") for number in (1, 2, 3, 4)]
        found = [one["title"] for page in pages for one in page["data"]]
        assert found == [f"{start} {number}" for number in range(9)]
        assert [page["meta"]["total"] for page in pages] == [9] * 4
        assert pages[0]["meta"]["last_page"] == 3
    assert titles(ada, "status=completed") == ["done"]
    assert titles(ada, "status=cancelled", path=f"{VEHICLES}/{ACCORD}/service-schedules") == ["gone"]
    everything = list_schedules(ada, "per_page=100")

    assert everything["meta"]["total"] == 29
    assert [one["status"] for one in everything["data"]] == [
        *["overdue"] * 9,
        *["due"] * 9,
        *["upcoming"] * 9,
        "completed",
        "cancelled",
    ]


def test_update_leaves_fields_that_were_not_sent(ada: Person) -> None:
    schedule = plan(ada, notes="quiet", interval_months=6)
    changed = change(ada, schedule, title="Oil and filter", due_mileage=70_000)

    assert {name for name in SCHEDULE if changed[name] != schedule[name]} == {
        "title",
        "due_mileage",
        "version",
    }
    assert (changed["version"], changed["next"]) == (2, None)
    assert change(ada, schedule, due_on=None, notes="")["due_on"] is None
    assert change(ada, schedule)["version"] == 3, "what changes nothing is no change"


def test_update_accepts_the_schedule_as_read(ada: Person) -> None:
    schedule = plan(ada, interval_months=6, problem_identifier="101")

    assert change(ada, schedule, **schedule) == {**schedule, "next": None}


def test_complete_plans_the_next_recurring_service(ada: Person, clock: FrozenClock) -> None:
    drive(ada, 61_234)
    schedule = plan(ada, interval_months=6, interval_miles=5_000, notes="0W-20", problem_identifier="101")
    done = change(ada, schedule, status="completed")
    assert (done["status"], done["allowed_actions"]) == ("completed", [])
    assert (done["completed_on"], done["completed_mileage"]) == ("2026-01-02", 61_234)
    assert done["ended_at"] == f"{clock():%Y-%m-%dT%H:%M:%SZ}"
    following = done["next"]
    assert (following["due_on"], following["due_mileage"]) == ("2026-07-02", 66_234)
    assert (following["status"], following["version"]) == ("upcoming", 1)
    names = ("vehicle", "title", "problem_identifier", "interval_miles", "interval_months", "notes")

    assert all(following[name] == schedule[name] for name in names)
    assert get_schedule(ada, following) == following
    assert list_schedules(ada)["meta"]["total"] == 2


def test_complete_plans_nothing_without_an_interval(ada: Person) -> None:
    schedule = plan(ada)

    assert change(ada, schedule, status="completed", completed_mileage=5)["next"] is None
    assert list_schedules(ada)["meta"]["total"] == 1


def test_complete_counts_from_the_given_day_and_miles(ada: Person) -> None:
    drive(ada, 61_234)
    schedule = plan(ada, interval_months=1, interval_miles=5_000)
    done = change(
        ada, schedule, status="completed", completed_on="2025-08-31", completed_mileage=58_000, title="Oil"
    )
    assert (done["title"], done["next"]["title"]) == ("Oil", "Oil")
    assert (done["next"]["due_on"], done["next"]["due_mileage"]) == ("2025-09-30", 63_000)
    # Today's odometer reading does not apply to another day.
    another = change(ada, done["next"], status="completed", completed_on="2025-09-30")

    assert (another["completed_mileage"], another["next"]["due_mileage"]) == (None, None)


def test_complete_by_miles_alone_requires_a_reading(ada: Person) -> None:
    schedule = plan(ada, interval_miles=5_000)
    refused = put(ada, f"{PATH}/{schedule['id']}", {"status": "completed"})
    assert refused.status_code == 422
    assert list(refused.get_json()["errors"]) == ["completed_mileage"]
    assert get_schedule(ada, schedule) == schedule
    done = change(ada, schedule, status="completed", completed_mileage=50_000)

    assert (done["next"]["due_on"], done["next"]["due_mileage"]) == (None, 55_000)


@pytest.mark.parametrize("end", ["completed", "cancelled"])
def test_ended_schedule_cannot_be_changed(ada: Person, end: str) -> None:
    schedule = plan(ada, interval_months=6)
    ended = change(ada, schedule, status=end)
    total = list_schedules(ada)["meta"]["total"]
    for data in ({"status": "completed"}, {"status": "cancelled"}, {"title": "x"}, {}):
        refused = put(ada, f"{PATH}/{schedule['id']}", data)
        assert (refused.status_code, list(refused.get_json())) == (409, ["message"])
        assert end in refused.get_json()["message"]

    assert get_schedule(ada, schedule) == {name: ended[name] for name in SCHEDULE}
    assert list_schedules(ada)["meta"]["total"] == total


def test_update_with_an_old_version_is_a_conflict(ada: Person) -> None:
    schedule = plan(ada)
    change(ada, schedule, title="Oil and filter", version=1)
    refused = put(ada, f"{PATH}/{schedule['id']}", {"title": "Tires", "version": 1})

    assert refused.status_code == 409
    assert get_schedule(ada, schedule)["title"] == "Oil and filter"


def test_complete_by_concurrent_callers_plans_one_next(ada: Person, api: FlaskClient) -> None:
    schedule = plan(ada, interval_months=6)

    def complete(_: int) -> int:
        client = api.application.test_client()
        headers = bearer(ada.token)
        return client.put(
            f"{PATH}/{schedule['id']}", json={"status": "completed"}, headers=headers
        ).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(complete, range(4))) == [200, 409, 409, 409]

    assert list_schedules(ada)["meta"]["total"] == 2


class InterferingClock:
    """A clock that runs a concurrent change on its first call."""

    def __init__(self, at: datetime, interfere: Any) -> None:
        self.at, self.interfere = at, interfere

    def __call__(self) -> datetime:
        interfere, self.interfere = self.interfere, lambda: None
        interfere()
        return self.at


def test_update_during_another_update_is_a_conflict(core: Core) -> None:
    owner = Caller(user_id=7, role=Role.USER, environment=Environment.LIVE, credential=Credential.SECRET)
    data = CreateSchedule(vehicle=ACCORD, title="Oil", due_mileage=9, interval_months=3)
    number = str(core.schedules.create(data, owner).schedule.id)
    clock = InterferingClock(
        datetime(2026, 1, 2, tzinfo=UTC),
        lambda: core.schedules.update(number, UpdateSchedule(title="Mine"), owner),
    )
    slow = evolve(core.schedules, clock=clock)
    with pytest.raises(Conflict):
        slow.update(number, UpdateSchedule(status=Status.COMPLETED), owner)

    assert [(one.schedule.title, one.status) for one in core.schedules.page(owner)] == [
        ("Mine", Status.UPCOMING)
    ]


def test_delete_removes_a_schedule(ada: Person) -> None:
    schedule = plan(ada)
    answer = ada.delete(f"{PATH}/{schedule['id']}")

    assert (answer.status_code, answer.get_json()["data"]) == (200, {"id": schedule["id"]})
    assert ada.get(f"{PATH}/{schedule['id']}").status_code == 404
    assert ada.delete(f"{PATH}/{schedule['id']}").status_code == 404
    assert list_schedules(ada)["meta"]["total"] == 0


def test_schedules_of_other_owners_are_not_found(ada: Person, eve: Person) -> None:
    schedule = plan(ada)
    car = schedule["vehicle"]["id"]
    for method in ("GET", "PUT", "DELETE"):
        others, unknown, invalid = (
            eve.client.open(f"{PATH}/{one}", method=method, headers=bearer(eve.token))
            for one in (schedule["id"], UNKNOWN_ID, "nonsense")
        )
        assert others.status_code == 404
        assert others.data == unknown.data == invalid.data
    pairs = [
        [eve.get(f"{VEHICLES}/{one}/service-schedules") for one in (car, UNKNOWN_ID)],
        [eve.get(f"{PATH}?vehicle={one}") for one in (car, UNKNOWN_ID)],
        [eve.post(PATH, {**OIL, "vehicle": one}) for one in (car, UNKNOWN_ID)],
    ]
    for others, unknown in pairs:
        assert (others.status_code, others.data) == (404, unknown.data)
    assert titles(eve) == titles(eve, f"vehicle={ACCORD}") == []
    plan(eve, title="Eve's")

    assert titles(eve, f"vehicle={ACCORD}") == ["Eve's"]
    assert titles(ada) == ["Oil change"]


def test_odometer_of_another_owner_does_not_count(ada: Person, eve: Person) -> None:
    schedule = plan(ada, due_on=None, due_mileage=100)
    drive(eve, 90_000)

    assert (get_schedule(ada, schedule)["status"], get_schedule(ada, schedule)["odometer"]) == (
        "upcoming",
        None,
    )


def test_test_and_live_schedules_are_separate(ada: Person, api: FlaskClient) -> None:
    schedule = plan(ada)
    key = bearer(ada.keys("test").secret_key)

    assert api.get(f"{PATH}/{schedule['id']}", headers=key).status_code == 404
    assert api.get(PATH, headers=key).get_json()["meta"]["total"] == 0
    assert api.post(PATH, json=OIL, headers=key).status_code == 201
    assert list_schedules(ada)["meta"]["total"] == 1


def test_overdue_services_lower_the_health(ada: Person) -> None:
    drive(ada, 50_000)
    path = f"{VEHICLES}/{ACCORD}/health"

    def services() -> Any:
        parts = ada.get(path).get_json()["data"]["components"]
        return next(one["value"] for one in parts if "service" in one["name"])

    assert services() is None
    plan(ada, due_on="2027-01-01")
    well = services()
    plan(ada, due_on="2025-01-01")

    assert services() < well


def test_operator_sees_all_schedules_and_is_audited(ada: Person, core: Core) -> None:
    schedule = plan(ada)
    operator = evolve(LOCAL, environment=Environment.LIVE)
    assert [str(one.schedule.id) for one in core.schedules.page(operator)] == [schedule["id"]]
    assert core.schedules.page(operator, vehicle=ACCORD.lower()).total == 1
    assert core.schedules.page(operator, vehicle=schedule["vehicle"]["id"]).total == 1
    core.schedules.update(schedule["id"], UpdateSchedule(title="Checked"), operator)
    core.schedules.delete(schedule["id"], operator)
    core.schedules.create(CreateSchedule(vehicle=ACCORD, title="Wash", due_mileage=90_000), operator)
    with core.storage.read() as work:
        entries = work.audit.list_newest(limit=9)

    assert [entry.action for entry in entries] == [
        "service_schedule.create",
        "service_schedule.remove",
        "service_schedule.change",
    ]
    created, removed, changed = ((entry.before, entry.after) for entry in entries)
    assert (created[0], removed[1]) == (None, None)
    assert created[1] == {"stage": "planned", "due_on": None, "due_mileage": 90_000, "version": 1}
    assert changed[0] is not None
    assert {**changed[0], "version": 2} == changed[1] == removed[0]


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({"vehicle": "nonsense"}, ["vehicle"]),
        ({"vehicle": 5}, ["vehicle"]),
        ({"title": None}, ["title"]),
        ({"title": " "}, ["title"]),
        ({"title": "x" * 256}, ["title"]),
        ({"notes": "x" * 2001}, ["notes"]),
        ({"problem_identifier": "no-such-repair"}, ["problem_identifier"]),
        ({"problem_identifier": "x" * 5000}, ["problem_identifier"]),
        ({"problem_identifier": "1"}, ["problem_identifier"]),
        ({"due_on": None}, ["due_on"]),
        ({"due_on": "2026-02-30"}, ["due_on"]),
        ({"due_on": "1989-12-31"}, ["due_on"]),
        ({"due_on": "9999-12-31"}, ["due_on"]),
        ({"due_mileage": -1}, ["due_mileage"]),
        ({"due_mileage": 2**63 - 1}, ["due_mileage"]),
        ({"interval_miles": 0}, ["interval_miles"]),
        ({"interval_months": 0}, ["interval_months"]),
        ({"interval_months": 2**63 - 1}, ["interval_months"]),
        ({"interval_months": True}, ["interval_months"]),
        (
            {"vehicle": "x", "title": 5, "due_on": 5, "due_mileage": -1, "interval_miles": 1.5},
            ["vehicle", "title", "due_on", "due_mileage", "interval_miles"],
        ),
    ],
)
def test_create_reports_a_bad_field(ada: Person, data: dict[str, Any], fields: list[str]) -> None:
    answer = ada.post(PATH, {**OIL, **data})

    assert answer.status_code == 422, answer.text
    assert sorted(answer.get_json()["errors"]) == sorted(fields)
    assert list_schedules(ada)["meta"]["total"] == 0


def test_create_reports_a_missing_vehicle_and_an_unknown_vin(ada: Person) -> None:
    assert list(ada.post(PATH, {"title": "x"}).get_json()["errors"]) == ["vehicle"]
    unknown = ada.post(PATH, {**OIL, "vehicle": "00000000000"})

    assert (unknown.status_code, unknown.get_json()["error_code"]) == (404, "VEHICLE_NOT_FOUND")


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({"due_on": None}, ["due_on"]),
        ({"title": ""}, ["title"]),
        ({"status": "upcoming"}, ["status"]),
        ({"status": "overdue", "completed_on": "2026-01-01"}, ["completed_on", "status"]),
        ({"status": "done"}, ["status"]),
        ({"completed_on": "2026-01-01"}, ["completed_on"]),
        ({"completed_mileage": 5}, ["completed_mileage"]),
        ({"status": "cancelled", "completed_mileage": 5}, ["completed_mileage"]),
        ({"status": "completed", "completed_on": "2026-01-04"}, ["completed_on"]),
        ({"status": "completed", "completed_mileage": -5}, ["completed_mileage"]),
        ({"status": "completed", "completed_mileage": 2_000_001}, ["completed_mileage"]),
        ({"version": "1"}, ["version"]),
        ({"problem_identifier": "no-such-repair", "due_mileage": -1}, ["due_mileage", "problem_identifier"]),
    ],
)
def test_update_reports_bad_fields_and_changes_nothing(
    ada: Person, data: dict[str, Any], fields: list[str]
) -> None:
    schedule = plan(ada)
    answer = put(ada, f"{PATH}/{schedule['id']}", data)

    assert answer.status_code == 422, answer.text
    assert sorted(answer.get_json()["errors"]) == fields
    assert get_schedule(ada, schedule) == schedule


@pytest.mark.parametrize(
    "query", ["status=done", "page=0", "per_page=101", "vehicle=x", "vehicle=a&vehicle=b"]
)
def test_index_reports_a_bad_filter(ada: Person, query: str) -> None:
    answer = ada.get(f"{PATH}?{query}")

    assert (answer.status_code, list(answer.get_json()["errors"])) == (422, [query.partition("=")[0]])


def test_index_beyond_the_last_page_is_empty(ada: Person) -> None:
    plan(ada)

    assert list_schedules(ada, "page=9000000000000000000")["data"] == []


ANY_VALUE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),  # a NUL is a 400
    st.just([]),
    st.just({}),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.dictionaries(
        st.sampled_from([*sorted(SCHEDULE), "completed_on"]),
        st.one_of(ANY_VALUE, st.sampled_from(["completed", "due", "2026-01-01", "101", ACCORD])),
    )
)
def test_any_input_has_a_documented_answer(ada: Person, data: dict[str, Any]) -> None:
    schedule = plan(ada)

    assert put(ada, f"{PATH}/{schedule['id']}", data).status_code in {200, 409, 422}
    assert ada.post(PATH, {**OIL, **data}).status_code in {201, 404, 422}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_body_is_a_400(ada: Person, name: str) -> None:
    for method, path in (("POST", PATH), ("PUT", f"{PATH}/{UNKNOWN_ID}")):
        answer = ada.client.open(
            path,
            method=method,
            data=UNREADABLE[name],
            content_type="application/json",
            headers=bearer(ada.token),
        )
        assert (answer.status_code, list(answer.get_json())) == (400, ["message"])
