"""The contract of the port ``SubmissionRecords``, on both databases."""

from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.diagnosis.model import Reason
from repaircore.kernel.callers import Environment
from repaircore.questionnaire.submissions import Submission, SubmissionResult, SubmittedAnswer, Suggestion

ONE = Submission(
    reference="DR-20260102-AAAAAA",
    environment=Environment.TEST,
    user_id=7,
    category_slug="brakes",
    category_name="Brakes",
    vehicle_id="42",
    vehicle_info="Ein alter Käfer; 'quoted'",
    answers=(SubmittedAnswer(question_id=301, question_text="What do you hear? ü", answer="Grinding"),),
    additional_notes="Two\nlines.",
    outcome=SubmissionResult(
        enough=True,
        suggestions=(
            Suggestion(repair="x", name="X > Y", probability=0.25, reasons=(Reason("Squeal.", -1.5),)),
        ),
    ),
    created_at=NOW,
)
BARE = evolve(
    ONE,
    reference="DR-20260102-BARE34",
    environment=Environment.LIVE,
    user_id=None,
    category_slug="leaks",
    vehicle_id=None,
    vehicle_info=None,
    additional_notes=None,
    outcome=SubmissionResult(enough=False, suggestions=()),
)


def add(database: Database, *ones: Submission) -> list[bool]:
    with work.open_work(database, write=True) as unit:
        return [unit.submissions.add(one) for one in ones]


def find(database: Database, reference: str) -> Submission | None:
    with work.open_work(database, write=False) as unit:
        return unit.submissions.find(reference)


def test_find_returns_a_submission_as_added(database: Database) -> None:
    assert add(database, ONE, BARE) == [True, True]
    assert [find(database, one.reference) for one in (ONE, BARE)] == [ONE, BARE]


def test_unknown_reference_finds_nothing(database: Database) -> None:
    assert find(database, "DR-20260102-CCCCCC") is None


def test_add_rejects_a_taken_reference(database: Database) -> None:
    add(database, ONE)

    assert add(database, evolve(BARE, reference=ONE.reference)) == [False]
    assert find(database, ONE.reference) == ONE


def test_add_stores_one_of_many_with_a_reference(database: Database) -> None:
    stored = at_once(6, lambda: add(database, ONE)[0])

    assert sorted(stored) == [False] * 5 + [True]


def test_list_newest_is_sorted_and_filtered(database: Database) -> None:
    many = [evolve(ONE, reference=f"DR-20260102-{at}", category_slug="ab"[at % 2]) for at in range(6)]
    add(database, *many)
    with work.open_work(database, write=False) as unit:
        newest = unit.submissions.list_newest

        assert [*newest(limit=3)] == [many[5], many[4], many[3]]
        assert [*newest(limit=9, before=many[2].reference)] == [many[1], many[0]]
        assert [*newest(limit=9, category="b", before=many[5].reference)] == [many[3], many[1]]
        assert [*newest(limit=9, category="c")] == []
