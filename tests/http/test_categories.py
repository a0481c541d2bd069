"""Categories over both databases: browse, find, describe, and what fits a vehicle."""

from datetime import date, timedelta
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, Person, bearer, person
from tests.http.shape import moment, nullable, number, shaped
from tests.http.watched import serve_core
from tests.writes import rows, unwritten

from repaircore.core import Core
from repaircore.external_settings import ModelSettings
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Unavailable
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.testing.clock import FrozenClock
from repaircore.testing.describers import ScriptedDescriber
from repaircore.testing.upstream import MisbehavingUpstream
from repaircore.transactions.model import TransactionPart

ROOT = "/api/v1/predict"
TESLA = "5YJ3E1EA7KF"
TEXT = "The pads press on the rotor and slow the car down; replaced in pairs."

CATEGORY = {"id": int, "name": str, "description": str}
REPAIR = {
    "id": int,
    "slug": str,
    "name": str,
    "parent": {"id": int, "name": str},
    "display_name": str,
}
DESCRIPTION = {
    "id": int,
    "name": str,
    "description": str,
    "generated_by": str,
    "generated_at": moment,
    "cached": bool,
}
MISSING = {"success": False, "message": str}


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").public_key


@pytest.fixture
def test_key(ada: Person) -> str:
    return ada.keys("test").public_key


def data(answer: Any, shape: object) -> Any:
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": shape}, answer.json)
    return answer.get_json()["data"]


def get(api: FlaskClient, path: str, token: str) -> Any:
    return api.get(ROOT + path, headers=bearer(token))


def post(api: FlaskClient, path: str, token: str, body: object = None) -> Any:
    return api.post(ROOT + path, json=body, headers=bearer(token))


# Browsing


def test_categories_and_repairs_match_the_book(
    api: FlaskClient, core: Core, live: str, database_url: str
) -> None:
    mains = data(get(api, "/categories", live), [CATEGORY])
    assert [main["id"] for main in mains] == [one.id for one in core.problems.list_categories()]
    with unwritten(database_url):
        for main in mains[::9]:
            subs = data(get(api, f"/categories/{main['id']}/sub", live), [CATEGORY])
            assert [sub["id"] for sub in subs] == [
                repair.id for repair in core.problems.list_all() if repair.parent.id == main["id"]
            ]


@pytest.mark.parametrize(
    "identifier", ["0", "101", "999999", str(2**63 - 1), str(2**63), "brakes", "-1", "1.0"]
)
def test_sub_rejects_an_unknown_category(api: FlaskClient, live: str, identifier: str) -> None:
    answer = get(api, f"/categories/{identifier}/sub", live)

    assert answer.status_code == 404
    assert shaped(MISSING, answer.json)


# Market match


def _sale(core: Core) -> CreateTransaction:
    return CreateTransaction(
        vehicle_id=core.vehicles.identify(ACCORD).id,
        problem_id=core.problems.get("brake-pads-front").id,
        performed_on=date(2026, 1, 1),
        parts=(TransactionPart(name="Front brake pad set", quantity=1, unit_price=70_00),),
        labor_hours=1.1,
        labor_rate=140_00,
    )


def test_market_match_counts_the_invoices_of_the_keys_environment(
    api: FlaskClient, core: Core, live: str, test_key: str
) -> None:
    shape = [{**REPAIR, "samples": int}]
    before = data(get(api, "/categories/market-match", live), shape)
    assert [one["id"] for one in before] == [repair.id for repair in core.problems.list_all()]
    assert all(one["samples"] == 0 for one in before)
    assert before[0]["display_name"] == f"{before[0]['parent']['name']} > {before[0]['name']}"
    for _ in range(2):
        core.transactions.record(_sale(core))
    after = data(get(api, "/categories/market-match", live), shape)

    assert {one["slug"]: one["samples"] for one in after if one["samples"]} == {"brake-pads-front": 2}
    assert all(one["samples"] == 0 for one in data(get(api, "/categories/market-match", test_key), shape))


def test_id_of_market_match_is_a_problem_identifier(api: FlaskClient, live: str) -> None:
    first = data(get(api, "/categories/market-match", live), [{**REPAIR, "samples": int}])[0]
    body = {"vin": ACCORD, "zip_code": "90210", "problem_identifier": str(first["id"])}

    assert post(api, "", live, body).get_json()["problem"]["id"] == first["id"]


# What fits a vehicle


def names(answer: Any) -> set[str]:
    shape = {"id": int, "display_name": str, "fit": {"outcome": str, "reason": nullable(str)}}
    return {one["display_name"] for one in data(answer, [shape])}


def test_problems_lists_only_repairs_that_may_fit(api: FlaskClient, live: str, core: Core) -> None:
    accord = names(post(api, "/problems", live, {"vin": ACCORD}))
    tesla = names(post(api, "/problems", live, {"vin": TESLA.lower()}))
    everything = {repair.display_name for repair in core.problems.list_all()}

    assert accord < everything
    assert tesla < everything
    assert "Maintenance > Conventional Oil Change" in accord - tesla
    assert "Hybrid and Electric > Electric Vehicle Battery Replacement" in tesla - accord
    assert "Brakes > Front Brake Pads" in accord & tesla


def test_problems_stores_the_vehicle_once(api: FlaskClient, live: str, database_url: str) -> None:
    post(api, "/problems", live, {"vin": ACCORD})
    assert rows(database_url)["vehicles"] == 1
    with unwritten(database_url):
        post(api, "/problems", live, {"vin": f" {ACCORD[:9]}-{ACCORD[9:]}"})


def test_problems_rejects_an_unknown_vehicle(api: FlaskClient, live: str, database_url: str) -> None:
    answer = post(api, "/problems", live, {"vin": "ZZZZZZZZZZZ"})

    assert answer.status_code == 404
    assert shaped({**MISSING, "error_code": "VEHICLE_NOT_FOUND"}, answer.json)
    assert rows(database_url)["vehicles"] == 0


@pytest.mark.parametrize(
    "body", [{}, {"vin": "1HG"}, {"vin": 5}, {"vin": None}, {"vin": "1HGCM82633AOO4352"}]
)
def test_problems_reports_a_bad_vin(api: FlaskClient, live: str, body: dict[str, Any]) -> None:
    answer = post(api, "/problems", live, body)

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"vin": [str]}}, answer.json)


# Search


def search(api: FlaskClient, token: str, **body: Any) -> Any:
    answer = post(api, "/categories/search", token, body)
    assert answer.status_code == 200, answer.text
    shape = {**REPAIR, "description": str, "score": number}
    assert shaped({"success": True, "count": int, "data": [shape]}, answer.json)
    assert answer.get_json()["count"] == len(answer.get_json()["data"])
    return answer.get_json()["data"]


def test_search_understands_misspellings(api: FlaskClient, live: str, database_url: str) -> None:
    search(api, live, query="squeaky brakes")  # the key's first use is recorded
    with unwritten(database_url):
        first = search(api, live, query="squeeky breaks", limit=3)

    assert "brake-pads-front" in [one["slug"] for one in first]
    assert [one["score"] for one in first] == sorted((one["score"] for one in first), reverse=True)
    assert search(api, live, query="Spark Plugs", limit=1)[0]["score"] == 1


def test_search_finds_ten_by_default(api: FlaskClient, live: str) -> None:
    assert len(search(api, live, query="brake")) == 10
    assert len(search(api, live, query="brake", limit=None)) == 10
    assert len(search(api, live, query="brake", limit=50)) > 10
    assert search(api, live, query="zzyzx") == []


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["query"]),
        ({"query": "b"}, ["query"]),
        ({"query": "  b "}, ["query"]),
        ({"query": "b" * 501}, ["query"]),
        ({"query": 5, "limit": "5"}, ["query", "limit"]),
        ({"query": "", "limit": 0}, ["query", "limit"]),
        ({"query": "b", "limit": 51}, ["query", "limit"]),
        ({"query": [], "limit": 51}, ["query", "limit"]),
        ({"query": "brakes", "limit": -1}, ["limit"]),
    ],
)
def test_search_reports_every_bad_field(
    api: FlaskClient, live: str, body: dict[str, Any], fields: list[str]
) -> None:
    answer = post(api, "/categories/search", live, body)

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {name: [str] for name in fields}}, answer.json)
    assert list(answer.get_json()["errors"]) == fields


def test_search_uses_a_new_edition_at_once(api: FlaskClient, live: str, core: Core) -> None:
    assert search(api, live, query="zonkifier") == []
    first = core.problems.list_all()[0]
    try:
        core.storage.import_book("another", (), (evolve(first, keywords=("zonkifier",)),))
        assert [one["slug"] for one in search(api, live, query="zonkifier")] == [first.slug]
    finally:
        # On PostgreSQL, the tests of a process share the book.
        core.upgrade()

    assert search(api, live, query="zonkifier") == []


# Descriptions


def describe(api: FlaskClient, token: str, problem_id: int = 101) -> Any:
    return data(post(api, f"/categories/{problem_id}/describe", token), DESCRIPTION)


def test_describe_stores_the_description(
    api: FlaskClient, live: str, clock: FrozenClock, database_url: str
) -> None:
    first = describe(api, live)
    assert (first["generated_by"], first["cached"], first["id"]) == ("offline", False, 101)
    with unwritten(database_url):
        assert describe(api, live) == {**first, "cached": True}
    clock.advance(timedelta(days=400))

    assert describe(api, live) == {**first, "cached": True}
    assert rows(database_url)["descriptions"] == 1


@pytest.mark.parametrize("identifier", ["0", "1", "999999", str(2**63 - 1), str(2**63), "brake-pads-front"])
def test_describe_rejects_an_unknown_repair(
    api: FlaskClient, live: str, identifier: str, database_url: str
) -> None:
    answer = post(api, f"/categories/{identifier}/describe", live)

    assert answer.status_code == 404
    assert shaped(MISSING, answer.json)
    assert rows(database_url)["descriptions"] == 0


def with_describer(core: Core, describer: ScriptedDescriber) -> Core:
    return core.replacing(problems=evolve(core.problems, describer=lambda: describer))


def test_describe_calls_the_model_once_and_only_in_live(core: Core) -> None:
    writer = ScriptedDescriber(TEXT, source="openai")
    api = serve_core(with_describer(core, writer)).test_client()
    ada = person(api, "Ada")
    test_key, live = ada.keys("test").secret_key, ada.keys("live").secret_key
    assert describe(api, test_key)["generated_by"] == "offline"
    assert writer.described == ()
    first = describe(api, live)
    assert (first["generated_by"], first["description"], first["cached"]) == ("openai", TEXT, False)
    assert describe(api, live) == {**first, "cached": True}
    assert len(writer.described) == 1
    again = describe(api, test_key)

    assert (again["generated_by"], again["cached"]) == ("offline", True)


def test_describe_falls_back_to_the_book_without_storing_it(core: Core, database_url: str) -> None:
    writer = ScriptedDescriber(Unavailable("timed out"), TEXT, source="openai")
    api = serve_core(with_describer(core, writer)).test_client()
    live = person(api, "Ada").keys("live").secret_key
    first = describe(api, live)

    assert (first["generated_by"], first["cached"]) == ("offline", False)
    assert rows(database_url)["descriptions"] == 0
    assert describe(api, live)["description"] == TEXT


def test_describe_replaces_the_books_text_by_a_models_but_not_the_reverse(core: Core) -> None:
    caller = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SECRET)
    assert core.problems.describe(101, caller).description.generated_by == "offline"
    modern = with_describer(core, ScriptedDescriber(TEXT, source="anthropic")).problems
    assert modern.describe(101, caller).description.text == TEXT
    stored = core.problems.describe(101, caller)

    assert (stored.description.text, stored.cached) == (TEXT, True)


def test_describe_regenerates_for_a_new_edition(core: Core) -> None:
    first = core.problems.describe(101)
    try:
        core.storage.import_book("another", (), core.problems.list_all()[:1])
        again = core.problems.describe(101)
    finally:
        core.upgrade()

    assert (first.cached, again.cached) == (False, False)
    assert again.description.edition == "another"


def test_describe_calls_a_configured_describer_for_live_keys_only(open_core: OpenCore) -> None:
    with MisbehavingUpstream() as upstream:
        core = open_core(describer=ModelSettings(kind="openai", url=upstream.url, name="m"))
        api = serve_core(core).test_client()
        ada = person(api, "Ada")
        describe(api, ada.keys("test").secret_key)
        assert upstream.requests() == 0
        # This server always answers with prices, not a description, so the book's text is used.
        assert describe(api, ada.keys("live").secret_key)["generated_by"] == "offline"
        assert upstream.requests() == 1


def test_publishable_key_describes_within_the_prediction_limit(open_core: OpenCore) -> None:
    api = serve_core(open_core(predictions_per_minute=1)).test_client()
    keys = person(api, "Ada").keys("live")
    describe(api, keys.public_key)
    limited = post(api, "/categories/101/describe", keys.public_key)
    assert limited.status_code == 429
    assert int(limited.headers["Retry-After"]) > 0
    for _ in range(2):
        describe(api, keys.secret_key)


# Callers without a key


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/categories"),
        ("GET", "/categories/market-match"),
        ("GET", "/categories/1/sub"),
        ("POST", "/categories/search"),
        ("POST", "/categories/101/describe"),
        ("POST", "/problems"),
    ],
)
def test_categories_require_a_key(api: FlaskClient, method: str, path: str) -> None:
    for headers in ({}, bearer("sk_live_nobody")):
        answer = api.open(ROOT + path, method=method, json={}, headers=headers)
        assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})
