"""The contract of the port ``VisitRecords``, on both databases."""

import pytest
from attrs import evolve
from tests.contracts.visits import ADA, ESTIMATE, NOW, a_visit

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.facilities.model import FacilityFields
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.timeline import Step
from repaircore.visits.errors import VisitChanged, VisitNotFound
from repaircore.visits.lifecycle import Action, Status
from repaircore.visits.model import Choice, Decision, Visit, VisitCustomer, VisitSummary
from repaircore.visits.ports import VisitFilter

LIVE, TEST = Environment.LIVE, Environment.TEST
MINE = VisitFilter(environment=LIVE, owner_id=7)


def add(database: Database, *visits: Visit) -> list[bool]:
    with work.open_work(database, write=True) as unit:
        return [unit.visits.add(visit) for visit in visits]


def find(
    database: Database, number: str, *, environment: Environment = LIVE, owner_id: int | None = 7
) -> Visit | None:
    with work.open_work(database, write=False) as unit:
        return unit.visits.find(number, environment=environment, owner_id=owner_id)


def stored(database: Database, visit: Visit) -> Visit:
    add(database, visit)
    found = find(database, visit.number, environment=visit.environment, owner_id=visit.owner_id)
    assert found is not None
    return found


def update(database: Database, old: Visit, new: Visit) -> Visit:
    with work.open_work(database, write=True) as unit:
        return unit.visits.update(old, new)


def delete(database: Database, visit: Visit) -> None:
    with work.open_work(database, write=True) as unit:
        unit.visits.delete(visit)


def page(
    database: Database, wanted: VisitFilter = MINE, *, number: int = 1, per_page: int = 100
) -> Page[VisitSummary]:
    with work.open_work(database, write=False) as unit:
        return unit.visits.page(wanted, request=PageRequest(number=number, per_page=per_page))


def numbers(found: Page[VisitSummary]) -> list[int]:
    return [int(visit.number[-6:]) for visit in found]


def test_visit_is_found_as_it_was_stored(database: Database) -> None:
    visit = a_visit()

    found = stored(database, visit)

    assert found == evolve(visit, id=found.id)


def test_bare_visit_is_found_as_it_was_stored(database: Database) -> None:
    vehicle = evolve(ESTIMATE.vehicle, vin=None, trim=None, engine=None)
    totals = evolve(ESTIMATE.totals, tax=None, supplies_text=None)
    estimate = evolve(ESTIMATE, vehicle=vehicle, totals=totals, lines=(), mileage=None, warnings=())
    visit = a_visit(estimate=estimate, customer=VisitCustomer(), notes=None)

    found = stored(database, visit)

    assert found == evolve(visit, id=found.id)


def test_taken_number_is_not_stored_twice(database: Database) -> None:
    assert add(database, a_visit(), a_visit(owner_id=8), a_visit(environment=TEST)) == [True, False, False]


def test_visit_of_a_missing_facility_is_refused(database: Database) -> None:
    with pytest.raises(Conflict):
        add(database, a_visit(facility_id=99))


def test_visits_of_others_are_not_found(database: Database) -> None:
    visit = stored(database, a_visit())

    assert find(database, visit.number, owner_id=8) is None
    assert find(database, visit.number, environment=TEST) is None
    assert find(database, "V-20260102-AAAAAA") is None
    assert find(database, visit.number, owner_id=None) == visit


def test_page_lists_an_owners_visits_newest_first(database: Database) -> None:
    add(
        database,
        *(a_visit(number) for number in (1, 2, 3)),
        a_visit(4, owner_id=8),
        a_visit(5, environment=TEST),
    )

    assert numbers(page(database)) == [3, 2, 1]
    assert numbers(page(database, number=2, per_page=2)) == [1]
    assert numbers(page(database, number=9)) == []
    assert numbers(page(database, VisitFilter(environment=LIVE, owner_id=None))) == [4, 3, 2, 1]


def test_page_has_the_listed_fields(database: Database) -> None:
    add(database, a_visit())

    assert page(database).items == (
        VisitSummary(
            number="V-20260102-000001",
            status=Status.DRAFT,
            vin="1HGCM82633A004352",
            vehicle="2003 Honda Accord EX",
            customer_name="Ada Lovelace",
            valid_until=a_visit().valid_until,
            line_count=2,
            total=320_40,
            created_at=NOW,
            updated_at=NOW,
            version=1,
        ),
    )


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("LOVELACE", [1]),
        ("ada@example", [1]),
        ("000002", [2]),
        ("accord", [2, 1]),
        ("82633a", [2, 1]),
        ("310555", [1]),
        ("100%", []),
        ("_", []),
        ("łukasz", [2]),
    ],
)
def test_page_searches(database: Database, search: str, found: list[int]) -> None:
    add(database, a_visit(1), a_visit(2, customer=VisitCustomer(name="ŁUKASZ")))

    assert numbers(page(database, evolve(MINE, search=search))) == found


def test_page_filters_by_status(database: Database) -> None:
    add(database, a_visit(1), a_visit(2, status=Status.SENT))

    assert numbers(page(database, evolve(MINE, status=Status.SENT))) == [2]


def test_update_replaces_a_visit(database: Database) -> None:
    old = stored(database, a_visit())
    answer = Decision(choice=Choice.ASKED, name="Ada", at=NOW, note="OEM?")
    new = evolve(
        old.apply(Action.SEND, at=NOW).with_decisions([(1, answer)]),
        customer=evolve(ADA, name="Ada King"),
        notes=None,
    )

    saved = update(database, old, new)

    assert saved.version == 2
    assert find(database, old.number) == saved
    assert numbers(page(database, evolve(MINE, search="king"))) == [1]


def test_update_of_an_older_version_reports_the_newer_one(database: Database) -> None:
    old = stored(database, a_visit())
    saved = update(database, old, evolve(old, notes="first"))

    with pytest.raises(VisitChanged) as refused:
        update(database, old, evolve(old, notes="second"))
    assert refused.value.version == 2
    assert find(database, old.number) == saved


def test_deleted_visit_is_gone_with_its_timeline(database: Database) -> None:
    visit = stored(database, a_visit())
    with work.open_work(database, write=True) as unit:
        unit.timelines.add(visit.number, Step(at=NOW, action="create", before=None, after="draft"))

    delete(database, visit)

    assert find(database, visit.number) is None
    with work.open_work(database, write=False) as unit:
        assert unit.timelines.list_for(visit.number) == []
    with pytest.raises(VisitNotFound):
        update(database, visit, visit)
    with pytest.raises(VisitNotFound):
        delete(database, visit)


def test_changed_visit_is_not_deleted(database: Database) -> None:
    old = stored(database, a_visit())
    update(database, old, evolve(old, notes="changed"))

    with pytest.raises(VisitChanged):
        delete(database, old)
    assert find(database, old.number) is not None


def test_facility_of_a_visit_counts_as_referred_to(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        shop = unit.facilities.add(FacilityFields(name="Main Street Garage"), point=None, at=NOW)
        unit.visits.add(a_visit(facility_id=shop.id))

        assert unit.facilities.referents(shop.id)["visit"] == 1
