"""The repair book for operators over HTTP, with figures of invoices, on both databases."""

from datetime import date
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer, promoted
from tests.http.shape import CURSORS, money, nullable, number, shaped

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.transactions.model import TransactionPart

PATH = "/api/v1/admin/problems"
RECORD: dict[str, Any] = {
    "id": int,
    "slug": str,
    "name": str,
    "description": str,
    "parent": nullable({"id": int, "name": str}),
    "children_count": int,
    "transactions_count": int,
    "average_total": nullable(money),
}
REFERENCE = {"id": int, "slug": str, "name": str, "display_name": str}


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


@pytest.fixture
def vehicle(core: Core) -> UUID:
    return core.vehicles.identify(ASK["vin"]).id


def record_sale(
    core: Core,
    vehicle: UUID,
    problem_id: int,
    dollars: int,
    *,
    month: int = 12,
    environment: Environment = Environment.LIVE,
) -> None:
    core.transactions.record(
        CreateTransaction(
            vehicle_id=vehicle,
            problem_id=problem_id,
            performed_on=date(2025, month, 1),
            labor_hours=0,
            labor_rate=120_00,
            parts=(TransactionPart(name="part", unit_price=dollars * 100, quantity=1),),
        ),
        evolve(LOCAL, environment=environment),
    )


def list_every_problem(root: Person, query: str = "") -> list[dict[str, Any]]:
    problems: list[dict[str, Any]] = []
    for page in range(1, 10):
        answer = root.get(f"{PATH}?per_page=100&page={page}{query}").get_json()
        problems += answer["data"]
        if page == answer["meta"]["last_page"]:
            break
    return problems


def test_list_has_every_category_and_every_repair(root: Person, core: Core) -> None:
    answer = root.get(PATH).get_json()
    total = len(core.problems.list_categories()) + len(core.problems.list_all())
    meta = {"current_page": 1, "per_page": 15, "total": total, "last_page": -(-total // 15), **CURSORS}
    assert shaped({"success": True, "data": [RECORD], "meta": meta}, answer)
    assert len(answer["data"]) == 15
    problems = list_every_problem(root)

    assert len({one["id"] for one in problems}) == total
    assert [one["id"] for one in problems] == [
        *(one.id for one in core.problems.list_categories()),
        *(one.id for one in core.problems.list_all()),
    ]


def test_category_counts_its_repairs(root: Person, core: Core) -> None:
    for one in (one for one in list_every_problem(root) if one["parent"] is None):
        assert one["children_count"] == len(core.problems.list_in_category(one["id"]))
        children = root.get(f"{PATH}/{one['id']}/children").get_json()
        assert shaped({"success": True, "data": [RECORD], "meta": dict}, children)
        assert len(children["data"]) == children["meta"]["total"] == one["children_count"]
        assert {child["parent"]["id"] for child in children["data"]} == {one["id"]}
        assert children["data"] == list_every_problem(root, f"&parent_id={one['id']}")


def test_repair_has_no_children(root: Person) -> None:
    assert root.get(f"{PATH}/101/children").get_json()["data"] == []


@pytest.mark.parametrize(
    "query", ["search=front+PADS", "search=brake-pads-front", "search=pads+front+brakes"]
)
def test_repair_is_found_by_words_in_any_order(root: Person, query: str) -> None:
    assert 101 in [one["id"] for one in list_every_problem(root, "&" + query)]


@pytest.mark.parametrize("query", ["search=zzzz", "parent_id=999999", "parent_id=-1", "parent_id=101"])
def test_unmatched_search_lists_nothing(root: Person, query: str) -> None:
    answer = root.get(f"{PATH}?{query}").get_json()

    assert (answer["data"], answer["meta"]["total"]) == ([], 0)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=9223372036854775808", "page"),
        ("per_page=1000", "per_page"),
        ("parent_id=brakes", "parent_id"),
        ("search=" + "x" * 256, "search"),
    ],
)
def test_list_reports_invalid_parameters(root: Person, query: str, field: str) -> None:
    answer = root.get(f"{PATH}?{query}")

    assert (answer.status_code, set(answer.get_json()["errors"])) == (422, {field})


def test_id_and_slug_are_equivalent(root: Person) -> None:
    for number_, slug in (("1", "brakes"), ("101", "brake-pads-front")):
        for view in ("show", "details", "children"):
            by_number = root.get(f"{PATH}/{number_}/{view}")
            assert by_number.status_code == 200
            assert by_number.json == root.get(f"{PATH}/{slug}/{view}").json

    assert shaped({"success": True, "data": RECORD}, root.get(f"{PATH}/brakes/show").json)


@pytest.mark.parametrize("view", ["show", "details", "children"])
@pytest.mark.parametrize(
    "bad_id", ["0", "-1", "999999", "nope", "9" * 400, "٣", "1.0", "%00", "Brakes", "%27"]
)
def test_unknown_id_is_a_404(root: Person, bad_id: str, view: str) -> None:
    answer = root.get(f"{PATH}/{bad_id}/{view}")

    assert answer.status_code == 404
    assert shaped({"message": str}, answer.json)


def test_details_of_a_repair_match_the_book(root: Person, core: Core) -> None:
    answer = root.get(f"{PATH}/brake-pads-front/details").get_json()
    detailed = {
        **RECORD,
        "display_name": str,
        "labor_hours": number,
        "parts": [{"name": str, "unit_price": money, "quantity": int}],
        "price_range": {"low": money, "high": money},
        "recurrence": {"miles": int, "months": int, "kind": str},
        "urgency": str,
        "safe_to_drive": str,
        "keywords": [str],
        "symptoms": [{"slug": str, "name": str, "share": number}],
        "related_repairs": [REFERENCE],
    }
    assert shaped({"success": True, "data": detailed}, answer)
    book, data = core.problems.get("brake-pads-front"), answer["data"]

    assert data["price_range"] == {"low": book.low / 100, "high": book.high / 100}
    assert [one["slug"] for one in data["related_repairs"]] == list(book.followups)
    assert [one["slug"] for one in data["symptoms"]] == [one.slug for one in book.symptoms]


def test_details_of_a_category_list_its_repairs(root: Person, core: Core) -> None:
    data = root.get(f"{PATH}/brakes/details").get_json()["data"]

    assert [one["id"] for one in data["related_repairs"]] == [
        one.id for one in core.problems.list_in_category(1)
    ]
    assert (data["labor_hours"], data["parts"], data["price_range"]) == (None, [], None)


def test_invoices_are_counted_for_a_repair_and_its_category(
    root: Person, api: FlaskClient, core: Core, vehicle: UUID
) -> None:
    for dollars, month in ((100, 11), (201, 12)):
        record_sale(core, vehicle, 101, dollars, month=month)
    record_sale(core, vehicle, 102, 400)
    record_sale(core, vehicle, 101, 9999, environment=Environment.TEST)
    repair, category = (root.get(f"{PATH}/{one}/show").get_json()["data"] for one in ("101", "brakes"))
    assert (repair["transactions_count"], repair["average_total"]) == (2, 150.5)
    assert (category["transactions_count"], category["average_total"]) == (3, 233.67)
    stats = root.get(f"{PATH}/stats").get_json()["data"]
    assert stats["transactions_count"] == 3
    assert (stats["transactions_total"], stats["average_total"]) == (701.0, 233.67)
    assert stats["by_month"] == [
        {"month": "2025-11", "transactions_count": 1, "transactions_total": 100.0},
        {"month": "2025-12", "transactions_count": 2, "transactions_total": 601.0},
    ]
    assert [one["id"] for one in stats["most_frequent"]] == [101, 102]
    assert stats["repairs_with_transactions"] == 2
    test = bearer(root.keys("test").secret_key)
    other = api.get(f"{PATH}/101/show", headers=test).get_json()["data"]

    assert (other["transactions_count"], other["average_total"]) == (1, 9999.0)


def test_average_is_null_without_invoices(root: Person) -> None:
    data = root.get(f"{PATH}/stats").get_json()["data"]
    shape = {
        "total": int,
        "categories": int,
        "repairs": int,
        "repairs_with_transactions": 0,
        "transactions_count": 0,
        "transactions_total": 0.0,
        "average_total": None,
        "by_category": [RECORD],
        "most_frequent": [],
        "by_month": [],
    }

    assert shaped({**shape, "most_frequent": [RECORD], "by_month": [dict]}, data)
    assert (data["most_frequent"], data["by_month"]) == ([], [])
    assert data["total"] == data["categories"] + data["repairs"]
