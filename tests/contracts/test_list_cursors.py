"""Lists by cursors, on both databases: the pages of each order make up the whole list, forwards and backwards."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from attrs import evolve
from tests.installations import sale

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import Page, PageRequest
from repaircore.predictions.model import PredictByVin
from repaircore.problems.overview import ProblemFilter
from repaircore.transactions.listing import ListTransactions
from repaircore.vehicles.model import VehicleFilter
from repaircore.visits.requests import CreateVisit
from repaircore.webhooks.model import AccountSubscriber, CreateAccountSubscription

VIN = "1HGCM82633A004352"
VINS = ("4T1BF1FK5FU033210", "2T3RFREV4GW412345", "5NPE24AF1FH123456", "1N4AL3AP3EC123456")

Fetch: TypeAlias = Callable[[PageRequest], Page[Any]]


def visits(core: Core) -> Fetch:
    for number in range(5):
        lines = [{"description": "Road test", "price": 20 + number % 2}]
        data = {"vin": VIN, "zip_code": "90210", "sales_tax": False, "lines": lines}
        core.visits.create(core.visits.parse(data, CreateVisit))
    return lambda request: core.visits.page(request=request)


def history(core: Core) -> Fetch:
    for number, slug in enumerate(("alternator", "water-pump", "spark-plugs", "radiator", "fuel-pump")):
        core.predictions.predict(
            PredictByVin(vin=VIN, zip_code="90210", problem_identifier=slug, mileage=60_000 + number)
        )
    return lambda request: core.past_predictions.page(request=request)


def transactions(core: Core) -> Fetch:
    first = sale(core)
    for number in range(5):
        day = first.performed_on.replace(day=1 + number % 2, month=1 + number // 3)
        core.transactions.record(evolve(sale(core), performed_on=day))
    return lambda request: core.ledger.page(request=request)


def transactions_of_a_repair(core: Core) -> Fetch:
    transactions(core)
    filters = ListTransactions(problem_id=sale(core).problem_id, make="honda")
    return lambda request: core.ledger.page(filters, request=request)


def facilities(core: Core) -> Fetch:
    for name, rate in (("B", 100), ("a", 120), ("c", None), ("A", 100), ("ä", 100)):
        core.facilities.create(CreateFacility(facility_name=name, avg_labor_rate=rate))
    return lambda request: core.facilities.page(request=request)


def users(core: Core) -> Fetch:
    for number, name in enumerate(("bo", "Ada", "ada", "Cy", "Bo")):
        core.accounts.create_user(name=name, email=f"{number}@example.org", password="correct horse")
    return lambda request: core.user_administration.page(request=request)


def audit(core: Core) -> Fetch:
    facilities(core)
    return lambda request: core.audit.page(request=request)


def vehicles(core: Core) -> Fetch:
    for vin in (VIN, *VINS):
        core.vehicles.resolve(vin)
    return lambda request: core.stored_vehicles.page(request=request)


def vehicles_of_a_make(core: Core) -> Fetch:
    vehicles(core)
    return lambda request: core.stored_vehicles.page(VehicleFilter(search="o"), request=request)


def webhooks(core: Core) -> Fetch:
    core.accounts.create_user(name="Ada", email="ada@example.org", password="correct horse")
    owner = AccountSubscriber.of(core.accounts.caller_for("ada@example.org"))
    for number in range(5):
        data = CreateAccountSubscription(url=f"https://example.com/{number}", events=("*",))
        core.webhooks.create(data, owner)
    return lambda request: core.webhooks.list_page(owner, request=request)


def repairs(core: Core) -> Fetch:
    core.transactions.record(sale(core))
    brakes = core.problems.get("brake-pads-front").parent.id
    wanted = ProblemFilter(parent_id=brakes, search="brake rear")
    return lambda request: core.problem_overview.page(wanted, LOCAL, request=request)


LISTS: tuple[tuple[Callable[[Core], Fetch], Sequence[str]], ...] = (
    (visits, ("", "created_at", "total", "-total", "customer_name", "valid_until")),
    (history, ("", "created_at")),
    (transactions, ("", "performed_on")),
    (transactions_of_a_repair, ("", "performed_on")),
    (facilities, ("", "-facility_name", "avg_labor_rate", "-avg_labor_rate", "state", "created_at")),
    (users, ("", "name", "-name", "email")),
    (audit, ("", "at")),
    (vehicles, ("", "created_at")),
    (vehicles_of_a_make, ("", "created_at")),
    (webhooks, ("", "created_at")),
    (repairs, ("", "-id", "name", "-invoices", "total")),
)


@pytest.mark.parametrize(("make", "sorts"), LISTS, ids=[make.__name__ for make, _ in LISTS])
def test_cursor_pages_are_the_whole_list(
    core: Core, make: Callable[[Core], Fetch], sorts: Sequence[str]
) -> None:
    fetch = make(core)
    for sort in sorts:
        whole = fetch(PageRequest(sort=sort, per_page=100))
        forwards = [fetch(PageRequest(sort=sort, per_page=2))]
        while (cursor := forwards[-1].next_cursor) is not None:
            forwards.append(fetch(PageRequest(sort=sort, per_page=2, cursor=cursor)))
        backwards = [forwards[-1]]
        while (cursor := backwards[-1].previous_cursor) is not None:
            backwards.append(fetch(PageRequest(sort=sort, per_page=2, cursor=cursor)))
        numbered = [
            item
            for number in range(1, len(forwards) + 1)
            for item in fetch(PageRequest(sort=sort, per_page=2, number=number))
        ]

        assert len(whole.items) == whole.total >= 3, sort
        assert [item for page in forwards for item in page] == list(whole), sort
        assert [item for page in reversed(backwards) for item in page] == list(whole), sort
        assert numbered == list(whole), sort
        assert {page.total for page in forwards} == {whole.total}
        assert (whole.next_cursor, whole.previous_cursor) == (None, None)
        assert fetch(PageRequest(sort=sort, number=2**62, per_page=100)).items == ()


@pytest.mark.parametrize(("make", "sorts"), LISTS, ids=[make.__name__ for make, _ in LISTS])
def test_unknown_order_and_cursor_are_rejected(
    core: Core, make: Callable[[Core], Fetch], sorts: Sequence[str]
) -> None:
    fetch = make(core)
    cursor = fetch(PageRequest(sort=sorts[-1], per_page=2)).next_cursor

    for request, field in (
        (PageRequest(sort="color"), "sort"),
        (PageRequest(cursor="color"), "cursor"),
        (PageRequest(cursor=cursor), "cursor"),
    ):
        with pytest.raises(Invalid) as error:
            fetch(request)
        assert list(error.value.fields) == [field]


def test_ascending_order_reverses_the_descending_one(core: Core) -> None:
    fetch = transactions(core)

    ascending = fetch(PageRequest(sort="performed_on", per_page=100))

    assert list(ascending)[::-1] == list(fetch(PageRequest(per_page=100)))
    assert [item.performed_on for item in ascending] == sorted(item.performed_on for item in ascending)
