"""The contract of the port ``BookChanges``, and the book with an installation's changes, on both databases."""

import json
from collections.abc import Iterator
from importlib.resources import files

import jsonschema_rs
import pytest
from tests.conftest import OpenCore

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.book.changes import BookChange
from repaircore.book.open_data import COLUMNS, export_document, figure_rows
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.testing.clock import FrozenClock

PADS = {"slug": "brake-pads-front", "labor_hours": 1.4, "source": "our labor guide"}
TESTER = Caller(user_id=1, role=Role.ADMIN, environment=Environment.TEST, credential=Credential.SECRET)
USER = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SECRET)


@pytest.fixture(autouse=True)
def _reset_book(core: Core) -> Iterator[None]:
    """Reset the book afterwards: tests share a PostgreSQL database."""
    yield
    core.book_revisions.reset()


def test_change_is_loaded_as_stored_and_the_latest_wins(database: Database, clock: FrozenClock) -> None:
    first = BookChange(slug="alternator", source="own", low=300_00, parts={"Alternator": (250_00, None)})
    second = BookChange(slug="alternator", source="guide", labor_hours=2.5, parts={})
    with work.open_work(database, write=True) as unit:
        unit.book_changes.save(first, at=clock())
        assert unit.book_changes.get_all() == {"alternator": first}
        unit.book_changes.save(second, at=clock())
        assert unit.book_changes.get_all() == {"alternator": second}
        unit.book_changes.delete("alternator")
        unit.book_changes.delete("alternator")
        assert unit.book_changes.get_all() == {}


def test_change_applies_to_every_worker_until_a_reset(core: Core, open_core: OpenCore) -> None:
    other = open_core()
    before = other.problems.get("brake-pads-front")
    edition = core.storage.book_edition()
    core.book_revisions.import_changes([PADS])

    assert other.problems.get("brake-pads-front").labor_hours == 1.4
    assert core.storage.book_edition() != edition
    assert core.ready() == []
    assert core.book_revisions.reset("brake-pads-front") == 1
    assert other.problems.get("brake-pads-front") == before
    assert core.storage.book_edition() == edition


def test_upgrade_keeps_the_changes(core: Core) -> None:
    core.book_revisions.import_changes([PADS])
    core.book_revisions.publish()

    assert core.problems.get("brake-pads-front").labor_hours == 1.4


def test_import_of_an_edited_export_stores_only_differences(core: Core) -> None:
    problems, changes, version = core.book_revisions.export()
    exported = json.loads(
        json.dumps(
            export_document(problems, changes, vehicles=core.book_revisions.vehicles(), version=version)
        )
    )
    assert core.book_revisions.import_changes(exported["repairs"]) == []
    (pads,) = (one for one in exported["repairs"] if one["slug"] == "brake-pads-front")
    pads["parts"][0]["price"] += 10
    (found,) = core.book_revisions.import_changes(exported["repairs"])

    assert (found.slug, found.labor_hours, [*found.parts]) == (
        "brake-pads-front",
        None,
        ["Front brake pad set"],
    )


def test_export_matches_its_schema_with_the_source_of_each_figure(core: Core) -> None:
    core.book_revisions.import_changes([PADS])
    problems, changes, version = core.book_revisions.export()
    exported = export_document(problems, changes, vehicles=core.book_revisions.vehicles(), version=version)
    schema = json.loads((files("repaircore") / "data" / "book.schema.json").read_text("utf-8"))
    assert [*jsonschema_rs.Draft202012Validator(schema).iter_errors(exported)] == []
    rows = [
        dict(zip(COLUMNS, row, strict=True))
        for row in figure_rows(problems, changes, vehicles=core.book_revisions.vehicles(), version=version)
    ]
    own = [row for row in rows if row["source"] != "editorial" and row["unit"] == "hours"]

    assert [(row["slug"], row["figure"], row["value"]) for row in own] == [
        ("brake-pads-front", "labor_hours", 1.4)
    ]
    pads = next(one for one in problems if one.slug == "brake-pads-front")
    assert {
        row["figure"]: row["value"] for row in rows if row["slug"] == pads.slug and row["unit"] == "dollars"
    } == {
        **{f"part_price:{part.name}": f"{part.price / 100:.2f}" for part in pads.parts},
        "low": f"{pads.low / 100:.2f}",
        "high": f"{pads.high / 100:.2f}",
    }
    assert {row["year"] for row in rows} == {2025}
    assert len({row["slug"] for row in rows if row["slug"]}) == len(problems)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("text", "repairs.0"),
        ({"slug": "no-such-repair"}, "repairs.0.slug"),
        ({"slug": "alternator", "labor_hours": -1}, "repairs.0.labor_hours"),
        ({"slug": "alternator", "labor_hours": True}, "repairs.0.labor_hours"),
        ({"slug": "alternator", "low": float("nan")}, "repairs.0.low"),
        ({"slug": "alternator", "low": 9000, "high": 100}, "repairs.0.low"),
        ({"slug": "alternator", "hours": 2}, "repairs.0.hours"),
        ({"slug": "alternator", "parts": {}}, "repairs.0.parts"),
        ({"slug": "alternator", "parts": [{"name": "Flux capacitor"}]}, "repairs.0.parts.0.name"),
        ({"slug": "alternator", "source": "x" * 201}, "repairs.0.source"),
    ],
)
def test_import_reports_a_bad_change_and_changes_nothing(core: Core, row: object, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        core.book_revisions.import_changes([row, PADS])

    assert [*refused.value.fields] == [field]
    assert core.book_revisions.list_changes() == {}


@pytest.mark.parametrize("caller", [TESTER, USER])
def test_only_an_operator_changes_the_book(core: Core, caller: Caller) -> None:
    with pytest.raises(Forbidden):
        core.book_revisions.import_changes([PADS], caller)
    with pytest.raises(Forbidden):
        core.book_revisions.reset(None, caller)


def test_change_is_audited(core: Core) -> None:
    core.book_revisions.import_changes([PADS], LOCAL)
    with core.storage.read() as unit:
        entry, *_ = unit.audit.list_newest(limit=1)

    assert (entry.action, entry.after) == ("book.import", {"changed": "brake-pads-front"})


def test_water_pump_uses_the_installations_timing_belt_hours(core: Core) -> None:
    before = core.problems.find("water-pump")
    core.book_revisions.import_changes([{"slug": "timing-belt", "labor_hours": 6.5, "source": "our guide"}])
    after = core.problems.find("water-pump")

    assert before is not None
    assert before.under_belt is not None
    assert after is not None
    assert after.under_belt is not None
    assert before.under_belt.hours != 6.5
    assert (after.under_belt.repair, after.under_belt.hours) == ("timing-belt", 6.5)
