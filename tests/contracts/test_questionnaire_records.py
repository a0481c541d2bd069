"""The contract of the port ``QuestionnaireRecords``, on both databases."""

import pytest
from attrs import evolve

from repaircore.adapters.shipped.edition import questionnaire_edition
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.questionnaire.model import AnswerType, Option, Question, QuestionCategory

FIRST = Question(
    id=900_001,
    text="Ü „quoted“ 'text'?",
    type=AnswerType.SINGLE_CHOICE,
    options=(Option(answer="ä", present=("abs-light",), absent=("traction-light",)), Option(answer="b")),
)
SECOND = evolve(
    FIRST, id=900_002, type=AnswerType.YES_NO, options=(Option(answer="Yes"), Option(answer="No"))
)
LATER = evolve(FIRST, id=900_003)
ONE = QuestionCategory(
    id=900, slug="one", name="One", description="The first.", icon="fa-x", questions=(SECOND, FIRST)
)
TWO = evolve(ONE, id=899, slug="two", name="Two", questions=(LATER,))


def replace(database: Database, *categories: QuestionCategory, edition: str = "e") -> None:
    with work.open_work(database, write=True) as unit:
        unit.questionnaire.replace(edition, categories)


def active(database: Database) -> list[QuestionCategory]:
    with work.open_work(database, write=False) as unit:
        return [one for one in unit.questionnaire.list_all() if one.active]


def by_slug(database: Database, slug: str) -> QuestionCategory | None:
    with work.open_work(database, write=False) as unit:
        return unit.questionnaire.find_by_slug(slug)


def test_list_all_has_the_shipped_questionnaire_at_first(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.questionnaire.edition() == questionnaire_edition()
        assert len(unit.questionnaire.list_all()) >= 12


def test_list_all_returns_an_edition_in_order(database: Database) -> None:
    replace(database, ONE, TWO)

    assert active(database) == [ONE, TWO]
    assert by_slug(database, "one") == ONE
    with work.open_work(database, write=False) as unit:
        assert unit.questionnaire.edition() == "e"
    replace(database, TWO, ONE)

    assert active(database) == [TWO, ONE]


def test_active_categories_are_listed_in_their_order(database: Database) -> None:
    replace(database, TWO, ONE, evolve(ONE, id=897, slug="old", active=False, questions=()))
    with work.open_work(database, write=False) as unit:
        listed = unit.questionnaire.list_categories()

    assert [(one.id, one.slug, one.name, one.description, one.icon) for one in listed] == [
        (one.id, one.slug, one.name, one.description, one.icon) for one in (TWO, ONE)
    ]


def test_replace_deactivates_what_is_left_out(database: Database) -> None:
    replace(database, ONE, TWO)
    replace(database, evolve(ONE, questions=(FIRST,)))
    with work.open_work(database, write=False) as unit:
        stored = {one.id: one for one in unit.questionnaire.list_all()}

    assert stored[ONE.id].questions == (FIRST, evolve(SECOND, active=False))
    assert stored[TWO.id] == evolve(TWO, active=False, questions=(evolve(LATER, active=False),))
    assert by_slug(database, "two") is None
    replace(database, ONE, TWO)

    assert active(database) == [ONE, TWO]


def test_replace_may_swap_slugs(database: Database) -> None:
    replace(database, ONE, TWO)
    replace(database, evolve(ONE, slug="two"), evolve(TWO, slug="one"))

    assert [one.slug for one in active(database)] == ["two", "one"]
    replace(database, evolve(TWO, id=898, slug="one", questions=(evolve(LATER, id=900_004),)))
    found = by_slug(database, "one")

    assert found is not None
    assert found.id == 898


def test_unknown_slug_finds_nothing(database: Database) -> None:
    assert by_slug(database, "nothing") is None
    assert by_slug(database, "") is None


def test_lock_returns_the_edition(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.questionnaire.lock() == questionnaire_edition()


def test_replace_is_undone_with_its_transaction(database: Database) -> None:
    before = active(database)

    def fail() -> None:
        with work.open_work(database, write=True) as unit:
            unit.questionnaire.replace("e", [ONE])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert active(database) == before
