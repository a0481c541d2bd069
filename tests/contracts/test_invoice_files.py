"""The contract of the port ``InvoiceFileRecords``, on both databases."""

from datetime import UTC, datetime

from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.invoice_files.model import WaitingLine
from repaircore.job_matching.model import Outcome
from repaircore.kernel.callers import Environment
from repaircore.shop_tables.model import Field

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
LIVE, TEST = Environment.LIVE, Environment.TEST


def begin(database: Database, digest: str = "a", environment: Environment = LIVE) -> int:
    with work.open_work(database, write=True) as unit:
        return unit.imports.begin(
            "transactions", environment=environment, digest=digest, file="x.csv", at=NOW
        ).id


def line(import_id: int, fingerprint: int, text: str = "LOF", total: int = 100) -> WaitingLine:
    return WaitingLine(
        import_id=import_id,
        environment=LIVE,
        source="counter",
        line=fingerprint,
        text=text,
        text_key=text.casefold(),
        outcome=Outcome.UNSURE,
        reason="Why",
        suggestions=("oil-change",),
        row={"vin": "x", "notes": "Café"},
        total=total,
        fingerprint=fingerprint,
        created_at=NOW,
    )


def add(database: Database, *lines: WaitingLine) -> int:
    with work.open_work(database, write=True) as unit:
        return unit.invoice_files.add_lines(lines)


def test_columns_of_a_source_are_replaced(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.invoice_files.columns_of("counter") == {}
        unit.invoice_files.save_columns("counter", {Field.DATE: "Tag", Field.VIN: "VIN"}, at=NOW)
        unit.invoice_files.save_columns("counter", {Field.DATE: "Datum"}, at=NOW)

        assert unit.invoice_files.columns_of("counter") == {Field.DATE: "Datum"}
        assert unit.invoice_files.columns_of("other") == {}


def test_decisions_are_per_source_and_environment_and_the_last_wins(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        number = unit.problems.list_all()[0].id
        unit.invoice_files.decide(LIVE, "counter", "lof", None, at=NOW)
        unit.invoice_files.decide(LIVE, "counter", "lof", number, at=NOW)
        unit.invoice_files.decide(TEST, "counter", "misc", None, at=NOW)

        assert unit.invoice_files.decisions(LIVE, "counter") == {"lof": number}
        assert unit.invoice_files.decisions(LIVE, "") == {}
        assert unit.invoice_files.decisions(TEST, "counter") == {"misc": None}


def test_waiting_line_is_not_added_again(database: Database) -> None:
    number = begin(database)

    assert add(database, line(number, 1), line(number, 2)) == 2
    assert add(database, line(number, 2), line(number, 3)) == 1
    assert add(database) == 0


def test_waiting_texts_are_listed_with_prices_most_common_first(database: Database) -> None:
    number = begin(database)
    add(
        database,
        line(number, 1, "Misc"),
        line(number, 2, total=300),
        evolve(line(number, 3, "lof", total=50), text="LOF "),
    )

    with work.open_work(database, write=False) as unit:
        found = unit.invoice_files.list_waiting(LIVE, limit=10)
        assert [(one.text, one.lines, one.low, one.high) for one in found] == [
            ("LOF", 2, 50, 300),
            ("Misc", 1, 100, 100),
        ]
        assert found[0].suggestions == ("oil-change",)
        assert [one.text for one in unit.invoice_files.list_waiting(LIVE, limit=1)] == ["LOF"]
        assert unit.invoice_files.count_waiting(LIVE) == 3
        assert unit.invoice_files.count_waiting(TEST) == 0
        assert unit.invoice_files.sources_waiting(LIVE, "lof") == ["counter"]
        assert unit.invoice_files.sources_waiting(LIVE, "nothing") == []


def test_lines_of_a_text_are_read_back_in_pages_and_removed(database: Database) -> None:
    number = begin(database)
    lines = [line(number, fingerprint) for fingerprint in (1, 2, 3)]
    add(database, *lines)

    with work.open_work(database, write=True) as unit:
        first = unit.invoice_files.lines_of(LIVE, "counter", "lof", after=0, limit=2)
        rest = unit.invoice_files.lines_of(LIVE, "counter", "lof", after=first[-1][0], limit=2)
        assert [one for _, one in (*first, *rest)] == lines
        unit.invoice_files.remove_lines([first[0][0]])
        assert unit.invoice_files.count_waiting(LIVE) == 2


def test_imports_are_listed_and_removed_with_their_lines(database: Database) -> None:
    first, second, other = begin(database), begin(database, "b"), begin(database, "c", TEST)
    with work.open_work(database, write=True) as unit:
        unit.imports.begin("vehicles", environment=LIVE, digest="d", file="v.csv", at=NOW)
    add(database, line(first, 1), line(second, 2))

    with work.open_work(database, write=True) as unit:
        assert [one.id for one in unit.invoice_files.list_imports(LIVE, limit=10)] == [second, first]
        assert [one.id for one in unit.invoice_files.list_imports(TEST, limit=10)] == [other]
        assert unit.invoice_files.remove_import(first) == 1
        assert unit.invoice_files.find_import(first) is None
        assert unit.invoice_files.find_import(second) is not None
        assert unit.invoice_files.count_waiting(LIVE) == 1
        assert unit.invoice_files.transactions_of(second, after=0, limit=10) == []
