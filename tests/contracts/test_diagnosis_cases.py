"""The contract of the ports ``CaseRecords`` and ``WordModels``, on both databases."""

from datetime import timedelta

from attrs import evolve
from tests.contracts.conftest import NOW
from tests.contracts.test_transactions import invoice

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.diagnosis.cases import Case, CaseSource, ConfirmedBy, InvoicedRepair
from repaircore.kernel.callers import Environment
from repaircore.testing.builders import a_vehicle

PADS, ROTORS = 101, 103
ONE = Case(
    reference="DG-20260102-AAAAAA",
    environment=Environment.LIVE,
    owner_id=7,
    source=CaseSource.DIAGNOSIS,
    text="It squeals; 'loudly' ü.",
    car=42,
    suggested=("brake-pads-front", "brake-pads-rear"),
    confidence=61.5,
    created_at=NOW,
)
BARE = evolve(
    ONE,
    reference="DR-20260102-BARE34",
    owner_id=None,
    source=CaseSource.QUESTIONNAIRE,
    car=None,
    suggested=(),
    confidence=0.0,
)
TEST_CASE = evolve(ONE, reference="DG-20260102-TTTTTT", environment=Environment.TEST)


def add(database: Database, *cases: Case) -> list[bool]:
    with work.open_work(database, write=True) as unit:
        return [unit.cases.add(one) for one in cases]


def find(database: Database, reference: str) -> Case | None:
    with work.open_work(database, write=False) as unit:
        return unit.cases.find(reference)


def confirm(database: Database, case: Case) -> None:
    with work.open_work(database, write=True) as unit:
        unit.cases.confirm(case.reference, "brake-pads-rear", ConfirmedBy.OPERATOR, NOW)


def test_case_is_loaded_as_stored_and_its_reference_is_unique(database: Database) -> None:
    assert add(database, ONE, BARE) == [True, True]
    assert add(database, evolve(ONE, text="Another.")) == [False]

    assert [find(database, one.reference) for one in (ONE, BARE)] == [ONE, BARE]
    assert find(database, "DG-20260102-CCCCCC") is None


def test_confirmed_case_is_listed_and_not_unconfirmed(database: Database) -> None:
    add(database, ONE, BARE, TEST_CASE)
    confirm(database, ONE)
    confirm(database, TEST_CASE)

    with work.open_work(database, write=False) as unit:
        [known] = unit.cases.list_confirmed(Environment.LIVE, limit=9)
        waiting = unit.cases.list_unconfirmed(Environment.LIVE, since=NOW)
        counted = unit.cases.count(Environment.LIVE)

    assert known == evolve(ONE, repair="brake-pads-rear", confirmed_by=ConfirmedBy.OPERATOR, confirmed_at=NOW)
    assert waiting == []
    assert counted == 2


def test_list_unconfirmed_has_only_known_cars(database: Database) -> None:
    add(database, ONE, BARE, TEST_CASE)

    with work.open_work(database, write=False) as unit:
        assert unit.cases.list_unconfirmed(Environment.LIVE, since=NOW) == [ONE]
        assert unit.cases.list_unconfirmed(Environment.LIVE, since=NOW + timedelta(seconds=1)) == []
        assert unit.cases.list_invoiced(ONE, within=timedelta(days=60)) == []


def test_list_invoiced_has_the_cars_repairs_of_the_period(database: Database) -> None:
    day = NOW.date()
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(a_vehicle())
        for problem_id, days, car, environment in (
            (ROTORS, 60, 42, Environment.LIVE),
            (PADS, 0, 42, Environment.LIVE),
            (PADS, -1, 42, Environment.LIVE),
            (PADS, 61, 42, Environment.LIVE),
            (PADS, 5, 43, Environment.LIVE),
            (PADS, 6, 42, Environment.TEST),
        ):
            unit.transactions.add(
                invoice(
                    problem_id=problem_id,
                    performed_on=day + timedelta(days=days),
                    car=car,
                    environment=environment,
                    lesson=None,
                )
            )
        found = unit.cases.list_invoiced(ONE, within=timedelta(days=60))

    assert found == [
        InvoicedRepair("brake-pads-front", "brakes"),
        InvoicedRepair("brake-rotors-front", "brakes"),
    ]


def test_confirm_by_invoice_keeps_a_known_repair(database: Database) -> None:
    add(database, ONE, BARE)
    confirm(database, ONE)

    with work.open_work(database, write=True) as unit:
        assert not unit.cases.confirm(ONE.reference, "horn", ConfirmedBy.INVOICE, NOW)
        assert unit.cases.confirm(BARE.reference, "horn", ConfirmedBy.INVOICE, NOW)
        assert not unit.cases.confirm("DG-20260102-CCCCCC", "horn", ConfirmedBy.OPERATOR, NOW)

    found = find(database, ONE.reference)

    assert found is not None
    assert found.repair == "brake-pads-rear"


def test_delete_unconfirmed_keeps_confirmed_cases(database: Database) -> None:
    add(database, ONE, BARE)
    confirm(database, ONE)

    with work.open_work(database, write=True) as unit:
        assert unit.cases.delete_unconfirmed(before=NOW) == 0
        assert unit.cases.delete_unconfirmed(before=NOW + timedelta(seconds=1)) == 1
        unit.cases.delete("DG-20260102-CCCCCC")

    assert find(database, BARE.reference) is None
    assert find(database, ONE.reference) is not None


def test_edition_of_a_word_model_changes_with_it(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert (unit.word_models.edition(), unit.word_models.text()) == ("", "")
        unit.word_models.replace("one")
        first = unit.word_models.edition()
        unit.word_models.replace("two")
        second = unit.word_models.edition()
        unit.word_models.replace("one")
        again = unit.word_models.edition()
        unit.word_models.replace("")

        assert first
        assert first == again != second
        assert (unit.word_models.edition(), unit.word_models.text()) == ("", "")
