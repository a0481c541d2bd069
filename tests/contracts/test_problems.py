"""The contract of the port ``Problems``, on both databases."""

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.shipped.book import Book, book
from repaircore.adapters.shipped.edition import edition
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.settings import BOOK_EDITION
from repaircore.book.model import Category, Problem

BOOK = book()


def publish(database: Database, edition: Book) -> None:
    with work.open_work(database, write=True) as unit:
        unit.problems.store_entries(edition.categories, edition.problems)


def list_all(database: Database) -> list[Problem]:
    with work.open_work(database, write=False) as unit:
        return list(unit.problems.list_all())


def test_book_is_loaded_as_stored_by_id(database: Database) -> None:
    assert list_all(database) == sorted(BOOK.problems, key=lambda repair: repair.id)
    with work.open_work(database, write=False) as unit:
        assert list(unit.problems.list_categories()) == sorted(BOOK.categories, key=lambda one: one.id)


def test_edition_is_the_last_one_published(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.problems.edition() == edition()
    with work.open_work(database, write=True) as unit:
        unit.settings.set(BOOK_EDITION, "another")
        assert unit.problems.edition() == "another"
        unit.settings.set(BOOK_EDITION, edition())


def test_repair_is_found_by_id_and_by_slug(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        for repair in BOOK.problems[::40]:
            assert unit.problems.find(repair.id) == repair
            assert unit.problems.find_by_slug(repair.slug) == repair


def test_several_repairs_are_found_by_their_slugs(database: Database) -> None:
    first, second, *_ = BOOK.problems
    slugs = [second.slug, "no-such-repair", first.slug, BOOK.categories[0].slug]
    with work.open_work(database, write=False) as unit:
        assert unit.problems.map_by_slug(slugs) == {first.slug: first, second.slug: second}
        assert unit.problems.map_by_slug([]) == {}


def test_main_category_is_no_repair(database: Database) -> None:
    main = BOOK.categories[0]
    with work.open_work(database, write=False) as unit:
        assert unit.problems.find(main.id) is None
        assert unit.problems.find_by_slug(main.slug) is None


def test_unknown_repair_is_none(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.problems.find(2**31 - 1) is None
        assert unit.problems.find_by_slug("no-such-repair") is None


def test_publishing_an_edition_twice_changes_nothing(database: Database) -> None:
    before = list_all(database)
    publish(database, BOOK)

    assert list_all(database) == before


def test_new_edition_updates_and_adds_and_deletes_nothing(database: Database) -> None:
    before = list_all(database)
    first, second, *rest = BOOK.problems
    new_category = Category(id=9_000, slug="new-things", name="New Things", description="Just came up.")
    main = evolve(first.parent, name="Stopping")
    changed = evolve(first, parent=main, name="Changed", slug="changed", low=1, keywords=("änderung",))
    moved = evolve(second, parent=new_category)
    added = evolve(first, id=900_001, slug="added", parent=new_category)
    try:
        publish(database, Book((main, new_category), (changed, moved, added)))
        after = {repair.id: repair for repair in list_all(database)}
        assert after.pop(added.id) == added
        assert after.pop(changed.id) == changed
        assert after.pop(moved.id) == moved
        siblings = {repair.id: repair for repair in rest}
        assert set(after) == set(siblings)
        assert all(
            repair == evolve(siblings[number], parent=main)
            if repair.parent.id == main.id
            else repair == siblings[number]
            for number, repair in after.items()
        )
    finally:
        _restore_book(database, added, new_category)

    assert list_all(database) == before


def _restore_book(database: Database, *added: Problem | Category) -> None:
    # On PostgreSQL, the tests of a process share the book.
    publish(database, BOOK)
    with database.transaction() as connection:
        for one in added:
            connection.exec_driver_sql(f"DELETE FROM problems WHERE id = {one.id:d}")  # noqa: S608 - a number


def test_failed_publication_leaves_the_old_edition(database: Database) -> None:
    before = list_all(database)
    first, second, *_ = BOOK.problems
    clash = evolve(first, slug=second.slug)
    with pytest.raises(sa.exc.IntegrityError):
        publish(database, Book((), (evolve(second, low=1), clash)))

    assert list_all(database) == before
