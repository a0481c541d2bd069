"""Invoices imported from a file, on both databases: learned from and removed exactly like single ones."""

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from io import BytesIO, StringIO
from statistics import median
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repaircore.adapters.sql.schema.learning import calibrations, cells, tallies, variances
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.transactions import transaction_sums, transactions
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.imports import DEFAULT_OPTIONS, ImportOptions, ImportResult, RejectedRow, Upload
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.transactions import evidence as evidences
from repaircore.transactions.evidence import Kind
from repaircore.transactions.levels import Level
from repaircore.transactions.model import Transaction, TransactionPart
from repaircore.transactions.sums import net, sum_changes
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA, Tally
from repaircore.wiring.learning import sample_of_invoices

HEAD = (
    *("vin", "year", "make", "model", "problem", "date", "mileage"),
    *("part_1_name", "part_1_price", "part_1_quantity", "part_2_name", "part_2_price", "part_2_quantity"),
    *(
        "parts_total",
        "labor_hours",
        "labor_rate",
        "total",
        "invoice",
        "notes",
        "facility",
        "zip",
        "session_id",
    ),
)
ROW = {
    "vin": "1HGCM82633A004352",
    "problem": "brake-pads-front",
    "date": "2025-12-01",
    "part_1_name": "Front brake pad set",
    "part_1_price": "66.00",
    "part_1_quantity": "1",
    "labor_hours": "1.1",
    "labor_rate": "150",
}
TEST = evolve(LOCAL, environment=Environment.TEST)

Row = dict[str, Any]


def csv_file(rows: Iterable[Row], head: Sequence[str] = HEAD) -> BytesIO:
    text = StringIO()
    table = csv.DictWriter(text, head)
    table.writeheader()
    table.writerows(rows)
    return BytesIO(text.getvalue().encode())


def sample_file(count: int, seed: int = 1) -> BytesIO:
    sample = sample_of_invoices()
    text = StringIO()
    csv.writer(text).writerows([sample.head, *sample.rows(count, seed)])
    return BytesIO(text.getvalue().encode())


def import_invoices(
    core: Core,
    content: BytesIO,
    terms: ImportOptions = DEFAULT_OPTIONS,
    *,
    batch: int = 50,
    environment: Environment = Environment.LIVE,
) -> ImportResult:
    imports = evolve(core.invoice_imports, batch=batch)
    return imports.import_file(Upload(name="invoices.csv", content=content, environment=environment), terms)


def rejected_rows(core: Core, *rows: Row) -> list[RejectedRow]:
    found: list[RejectedRow] = []
    import_invoices(core, csv_file(rows), ImportOptions(on_rejected=found.append, dry_run=True))
    return found


def sums(core: Core) -> list[Any]:
    """Return all sums of invoices except the empty ones."""
    request_: tuple[Any, ...] = (
        sa.select(cells).order_by(*cells.primary_key.columns),
        sa.select(tallies)
        .where(tallies.c.counts != NO_ERRORS.packed())
        .order_by(*tallies.primary_key.columns),
        sa.select(calibrations)
        .where(calibrations.c.alpha != START_ALPHA)
        .order_by(calibrations.c.environment),
        sa.select(transaction_sums).order_by(*transaction_sums.primary_key.columns),
    )
    with core.storage.database.transaction(write=False) as connection:
        return [row for query in request_ for row in connection.execute(query).all()]


def all_transactions(core: Core) -> list[Transaction]:
    with core.storage.database.transaction(write=False) as connection:
        found = connection.execute(
            sa.select(transactions.c.id, transactions.c.environment).order_by("id")
        ).all()
    callers = {LOCAL.environment: LOCAL, TEST.environment: TEST}
    return [core.ledger.get(row.id, callers[row.environment]) for row in found]


def clear_tables(core: Core) -> None:
    with core.storage.database.transaction() as connection:
        for table in reversed(METADATA.sorted_tables):
            if table.name not in {"problems", "settings"}:
                connection.execute(sa.delete(table))


def without_id(one: Transaction) -> Transaction:
    return evolve(one, id=0)


_rows = st.fixed_dictionaries(
    {
        "vin": st.sampled_from(["1HGCM82633A004352", "1FTEW1E51KF000001"]),
        "problem": st.sampled_from(["brake-pads-front", "102", "tire-rotation"]),
        "date": st.dates(date(2018, 1, 1), date(2026, 1, 1)).map(str),
        "part_1_name": st.sampled_from(["Front brake pad set", "BRAKE  hardware kit", "Something else"]),
        "part_1_price": st.integers(0, 10_000_00).map(lambda price: f"{price / 100:.2f}"),
        "part_1_quantity": st.integers(1, 4),
        "labor_hours": st.floats(0, 40).map(lambda hours: f"{hours:.2f}"),
        "labor_rate": st.integers(0, 400_00).map(lambda rate: f"{rate / 100:.2f}"),
        "mileage": st.none() | st.integers(0, 300_000),
        "notes": st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
        "invoice": st.uuids().map(str),
    }
)


def new_transaction(core: Core, row: Row) -> CreateTransaction:
    problem = core.problems.find(row["problem"])

    assert problem is not None
    return CreateTransaction(
        vin=row["vin"],
        vehicle_id=core.vehicles.resolve(row["vin"]).id,
        problem_id=problem.id,
        performed_on=date.fromisoformat(row["date"]),
        labor_hours=float(row["labor_hours"]),
        labor_rate=round(float(row["labor_rate"]) * 100),
        parts=(
            TransactionPart(
                name=row["part_1_name"],
                unit_price=round(float(row["part_1_price"]) * 100),
                quantity=row["part_1_quantity"],
            ),
        ),
        mileage=row["mileage"],
        notes=row["notes"] or None,
    )


@given(rows=st.lists(_rows, min_size=1, max_size=5))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_batch_of_one_is_learned_like_a_single_invoice(core: Core, rows: list[Row]) -> None:
    clear_tables(core)
    for row in rows:
        core.transactions.record(new_transaction(core, row))
    singly = sums(core), [without_id(one) for one in all_transactions(core)]
    with core.storage.database.transaction() as connection:
        for table in (cells, tallies, calibrations, transaction_sums, transactions):
            connection.execute(sa.delete(table))

    assert import_invoices(core, csv_file(rows), batch=1) == ImportResult(read=len(rows), added=len(rows))
    assert (sums(core), [without_id(one) for one in all_transactions(core)]) == singly


@given(rows=st.lists(_rows, min_size=1, max_size=12), batch=st.integers(2, 12))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_sums_match_the_imported_rows(core: Core, rows: list[Row], batch: int) -> None:
    clear_tables(core)
    import_invoices(core, csv_file(rows), batch=batch)
    assert_sums_match_the_rows(core)


def assert_sums_match_the_rows(core: Core) -> None:
    stored = all_transactions(core)
    lessons = [one.lesson for one in stored if one.lesson is not None]
    with core.storage.database.transaction(write=False) as connection:
        centers: dict[int, int] = {
            row.problem_id: row.center for row in connection.execute(sa.select(variances))
        }
    found: dict[evidences.CellKey, evidences.Cell] = {}
    counts: dict[tuple[int, int], Tally] = {}
    for lesson in lessons:
        of_all = centers.get(evidences.EVERY_PROBLEM, 0)
        center = centers.get(lesson.evidence.problem_id, of_all)
        found = evidences.applied(found, evidences.deltas(lesson.evidence, center=center))
        for where in (
            (lesson.evidence.problem_id, lesson.surprise.generation),
            (evidences.EVERY_PROBLEM, lesson.surprise.generation_of_all),
        ):
            counts[where] = counts.get(where, NO_ERRORS).plus(lesson.surprise.bin)
    with core.storage.database.transaction(write=False) as connection:
        cell_rows = {
            evidences.CellKey(
                row.problem_id, evidences.Kind(row.kind), Level(row.level), row.key
            ): evidences.Cell(row.w, row.s, row.q)
            for row in connection.execute(sa.select(cells))
        }
        tally_rows = {
            (row.problem_id, row.generation): Tally.unpacked(row.counts)
            for row in connection.execute(sa.select(tallies))
        }
        alpha = connection.execute(sa.select(calibrations.c.alpha)).scalar_one()
        sum_rows = {
            (row.dimension, row.value, row.month): (row.n, row.parts_total, row.labor_total)
            for row in connection.execute(sa.select(transaction_sums))
        }

    assert cell_rows == found
    assert tally_rows == counts
    assert alpha == START_ALPHA + sum(lesson.surprise.alpha_step for lesson in lessons)
    assert sum_rows == {
        change.row: (change.n, change.parts_total, change.labor_total)
        for change in net(change for one in stored for change in sum_changes(one, one.make_key))
    }


@pytest.mark.parametrize("batch", [7, 1000])
def test_removing_every_imported_invoice_restores_the_sums(core: Core, batch: int) -> None:
    import_invoices(core, sample_file(30, seed=9), batch=batch)
    core.refits.refit()  # the shared cells are relative to what it found
    before = sums(core)
    known = {one.id for one in all_transactions(core)}
    import_invoices(core, sample_file(60), batch=batch)

    assert sums(core) != before
    for one in all_transactions(core):
        if one.id not in known:
            core.transactions.delete(one.id)
    core.refits.refit()

    assert sums(core) == before


def test_every_row_adjusts_the_range(core: Core) -> None:
    import_invoices(core, sample_file(60), batch=50)
    lessons = [one.lesson for one in all_transactions(core) if one.lesson is not None]

    assert all(lesson.surprise.alpha_step != 0 for lesson in lessons)


@pytest.mark.long
def test_generations_of_errors_fill_up_within_a_batch(core: Core) -> None:
    import_invoices(core, sample_file(2_300), batch=1_500)
    assert_sums_match_the_rows(core)


def test_file_can_be_imported_twice(core: Core) -> None:
    assert import_invoices(core, sample_file(40)) == ImportResult(read=40, added=40)
    before = sums(core)

    assert import_invoices(core, sample_file(40)) == ImportResult(read=40, unchanged=40)
    assert sums(core) == before


def test_same_row_counts_once_within_and_across_batches(core: Core) -> None:
    other = {**ROW, "invoice": "17"}

    assert import_invoices(core, csv_file([ROW, ROW, other, ROW, other]), batch=2) == ImportResult(
        read=5, added=2, unchanged=3
    )


def test_same_row_is_recognized_in_any_spelling(core: Core) -> None:
    again = {
        **ROW,
        "vin": "1hgcm82633a004352",
        "problem": "101",
        "date": "12/1/2025",
        "part_1_price": "$66",
        "labor_hours": "1.10",
        "labor_rate": "150.00",
    }

    assert import_invoices(core, csv_file([ROW, again])) == ImportResult(read=2, added=1, unchanged=1)


def test_test_and_live_are_separate(core: Core) -> None:
    import_invoices(core, csv_file([ROW]), environment=Environment.TEST)

    assert [one.environment for one in all_transactions(core)] == [Environment.TEST]
    assert import_invoices(core, csv_file([ROW])) == ImportResult(read=1, added=1)


def test_import_moves_the_estimate(core: Core) -> None:
    vehicle = core.vehicles.resolve("1HGCM82633A")
    before = core.predictions.computation().local(Environment.LIVE, "90210", vehicle.specs, [101])[2][101]
    import_invoices(core, csv_file({**ROW, "labor_hours": "2.2", "invoice": number} for number in range(30)))
    after = core.predictions.computation().local(Environment.LIVE, "90210", vehicle.specs, [101])[2][101]

    assert (before.estimate.sample_size, after.estimate.sample_size) == (0, 30)
    assert after.estimate.average > before.estimate.average


DERIVED: list[tuple[Row, tuple[int, ...]]] = [
    ({"total": "231.00"}, (66_00, 150_00, 165_00, 231_00)),
    ({"total": "231.01"}, (66_00, 150_00, 165_01, 231_01)),
    ({"total": "231.00", "labor_rate": ""}, (66_00, 150_00, 165_00, 231_00)),
    ({"total": "231.00", "labor_rate": "", "labor_hours": ""}, (66_00, 0, 165_00, 231_00)),
    ({"parts_total": "80"}, (80_00, 150_00, 165_00, 245_00)),
    ({"part_1_name": "", "part_1_price": "", "total": "300"}, (135_00, 150_00, 165_00, 300_00)),
]


def test_missing_amounts_are_derived_from_the_total(core: Core) -> None:
    rows = [{**ROW, **changes, "invoice": number} for number, (changes, _) in enumerate(DERIVED)]
    import_invoices(core, csv_file(rows))
    stored = [(one.parts_total, one.labor_rate, one.labor_total, one.total) for one in all_transactions(core)]

    assert stored == [amounts for _, amounts in DERIVED]


ROW_ERRORS: list[tuple[Row, list[str]]] = [
    ({"vin": "1HGCM82633A00435O"}, ["did you mean"]),
    ({"vin": "00000000000"}, ["VIN"]),
    ({"vin": ""}, ["needs a VIN, or year, make and model"]),
    ({"vin": "", "year": "20x5", "make": "Honda", "model": "Accord"}, ["year"]),
    ({"vin": "", "year": "2015", "make": "Hondo", "model": "Accord"}, ["hondo accord"]),
    ({"problem": ""}, ["problem is required"]),
    ({"problem": "brakepads", "date": "2025-02-30"}, ["problem", "valid calendar date"]),
    ({"date": "2999-01-01", "mileage": "-5"}, ["1950", "mileage"]),
    ({"labor_hours": "1001", "labor_rate": "x"}, ["labor_hours", "labor_rate"]),
    ({"labor_hours": "nan", "part_1_price": "1e5"}, ["part_1_price", "labor_hours"]),
    ({"part_1_name": " ", "part_1_quantity": "0"}, ["part_1_name is required", "part_1_quantity"]),
    ({"total": "240.00"}, ["$231.00"]),
    ({"labor_rate": ""}, ["labor_rate or a total"]),
    ({"parts_total": "60"}, ["more than parts_total"]),
    ({"total": "60", "labor_rate": ""}, ["exceed the total"]),
    ({"labor_rate": "10000.01"}, ["labor_rate"]),
    ({"facility": "Nobody's"}, ["No facility"]),
    ({"facility": "99"}, ["no facility 99"]),
    ({"zip": "00000"}, ["ZIP"]),
    ({"session_id": "x"}, ["session"]),
    ({"session_id": "01a1f928-0069-7591-ad2f-2065d7df10d7"}, ["session"]),
    ({"notes": "a\0b"}, ["NUL"]),
    ({"notes": "x" * 10_001}, ["10,000"]),
]


def test_every_error_of_a_row_is_reported(core: Core) -> None:
    refused = rejected_rows(core, *({**ROW, **changes} for changes, _ in ROW_ERRORS))

    assert [one.line for one in refused] == [*range(2, len(ROW_ERRORS) + 2)]
    for one, (changes, wrong) in zip(refused, ROW_ERRORS, strict=True):
        assert len(one.reasons) == len(wrong), (changes, one.reasons)
        for word, reason in zip(wrong, one.reasons, strict=True):
            assert word in reason, changes


def test_invalid_utf8_is_reported_with_its_line(core: Core) -> None:
    content = csv_file([ROW, {**ROW, "notes": "caf\u00e9"}]).getvalue().replace("é".encode(), b"\xe9")
    found: list[RejectedRow] = []
    import_invoices(core, BytesIO(content), ImportOptions(on_rejected=found.append))

    assert [(one.line, one.reasons) for one in found] == [(3, ("The row is not UTF-8 text.",))]


def test_row_of_another_width_is_rejected(core: Core) -> None:
    content = csv_file([ROW]).getvalue() + b"1HGCM82633A004352,brake-pads-front\r\n"
    found: list[RejectedRow] = []
    import_invoices(core, BytesIO(content), ImportOptions(on_rejected=found.append))

    assert [one.line for one in found] == [3]


def test_columns_may_be_in_any_order_and_in_british_spelling(core: Core) -> None:
    head = ("Labour_Rate", "LABOUR_HOURS", "date", "problem", "vin", "ignored")
    row = dict(zip(head, ("150", "1.1", "2025-12-01", "101", "1HGCM82633A", "x"), strict=True))

    assert import_invoices(core, csv_file([row], head)) == ImportResult(read=1, added=1)


@pytest.fixture
def shop(core: Core) -> Callable[..., int]:
    def add(name: str, zip_code: str) -> int:
        return core.facilities.create(CreateFacility(facility_name=name, zip_code=zip_code)).id

    return add


def test_shop_is_found_by_id_name_or_zip_code(core: Core, shop: Callable[..., int]) -> None:
    ann, bob, other_ann = shop("Ann's", "90210"), shop("Bob's", "10001"), shop("Ann's", "60601")
    rows: list[Row] = [
        {"facility": str(bob)},
        {"facility": "bob's"},
        {"facility": "ANN'S", "zip": "90210"},
        {"zip": "60601-1234"},
        {"zip": "33101"},
    ]
    import_invoices(core, csv_file({**ROW, **row, "invoice": number} for number, row in enumerate(rows)))

    assert [one.facility_id for one in all_transactions(core)] == [bob, bob, ann, other_ann, None]
    (refused,) = rejected_rows(core, {**ROW, "facility": "Ann's"})

    assert "Several" in refused.reasons[0]


def test_sums_of_places_match_the_imported_rows(core: Core, shop: Callable[..., int]) -> None:
    shop("Ann's", "90210")
    places: list[Row] = [{"facility": "Ann's"}, {"zip": "60601"}, {"zip": "10001"}, {}]
    rows = [{**ROW, **places[number % 4], "invoice": number} for number in range(24)]
    import_invoices(core, csv_file(rows), batch=16)  # a known repair says how expensive a place is

    assert_sums_match_the_rows(core)
    with core.storage.database.transaction(write=False) as connection:
        kinds = set(connection.execute(sa.select(cells.c.kind)).scalars())
    assert {Kind.RATE, Kind.PARTS_LEVEL, Kind.HOURS_LEVEL, Kind.DRIFT} <= kinds


def test_exported_file_imports_to_the_same_sums(core: Core, shop: Callable[..., int]) -> None:
    shop("Ann's", "90210")
    import_invoices(core, sample_file(120))
    import_invoices(core, csv_file([{**ROW, "facility": "Ann's", "notes": 'so "so",\nwell'}]))
    core.transactions.record(
        new_transaction(core, {**ROW, "mileage": 7, "notes": None, "part_1_quantity": 1})
    )
    core.transactions.record(
        new_transaction(core, {**ROW, "mileage": 7, "notes": None, "part_1_quantity": 1})
    )
    text = StringIO()
    csv.writer(text).writerows(core.invoice_exports.rows())
    content = text.getvalue().encode()

    assert import_invoices(core, BytesIO(content)) == ImportResult(read=123, unchanged=123)
    before = sum_rows(core)
    clear_tables(core)
    shop("Ann's", "90210")

    assert import_invoices(core, BytesIO(content)) == ImportResult(read=123, added=123)
    assert sum_rows(core) == before


def sum_rows(core: Core) -> list[Any]:
    with core.storage.database.transaction(write=False) as connection:
        query = sa.select(transaction_sums).where(transaction_sums.c.dimension != "facility")
        return [*connection.execute(query.order_by(*transaction_sums.primary_key.columns))]


@pytest.mark.long
def test_import_ends_where_single_invoices_would(core: Core) -> None:
    # A batch of one row is learned like a single invoice; see above.
    import_invoices(core, invoices_off_the_book(300), batch=1, environment=Environment.TEST)
    import_invoices(core, invoices_off_the_book(300), batch=1_000, environment=Environment.LIVE)
    for caller in (TEST, LOCAL):
        core.refits.refit(caller)

    with core.storage.read() as work:
        ids = [problem.id for problem in work.problems.list_all()]
    singly, imported = (
        core.price_ranges.ranges(where, "90210", None, ids) for where in (Environment.TEST, Environment.LIVE)
    )
    moved = [math.log(imported[one].average / singly[one].average) for one in ids]
    widths = [_width(imported[one]) / _width(singly[one]) for one in ids]

    assert max(map(abs, moved)) < 0.03
    assert median(widths) == pytest.approx(1, abs=0.08)


_SUMS_ALONE = (
    "vin", "year", "make", "model", "problem", "date", "parts_total", "labor_hours", "labor_rate", "invoice",
)  # fmt: skip


def invoices_off_the_book(count: int) -> BytesIO:
    """Return invoices where every other repair costs twice the book's price, so that there is much to learn."""
    sample = sample_of_invoices()
    rows: list[Row] = [
        {name: value for name, value in zip(sample.head, row, strict=True) if name in _SUMS_ALONE}
        for row in sample.rows(count, 3)
    ]
    repairs = sorted({row["problem"] for row in rows})
    for row in rows:
        if repairs.index(row["problem"]) % 2:
            row["parts_total"] = f"{2 * float(row['parts_total'] or 0):.2f}"
            row["labor_hours"] = f"{2 * float(row['labor_hours']):.1f}"
    return csv_file(rows, _SUMS_ALONE)


def _width(result: Any) -> float:
    return math.log(result.high / result.low)


def test_nightly_refit_after_an_import_widens_no_range_by_more_than_a_tenth(core: Core) -> None:
    import_invoices(core, sample_file(300, seed=4), batch=1_000)
    with core.storage.read() as work:
        ids = [problem.id for problem in work.problems.list_all()][:12]
    before = core.price_ranges.ranges(Environment.LIVE, "90210", None, ids)
    core.refits.refit()
    after = core.price_ranges.ranges(Environment.LIVE, "90210", None, ids)
    for problem_id in ids:
        was, now = before[problem_id], after[problem_id]

        assert math.log(now.high / now.low) <= 1.1 * math.log(was.high / was.low)


def test_rows_with_a_zip_code_and_no_facility_teach_their_area(core: Core) -> None:
    def rate() -> int:
        about = core.vehicles.resolve("1HGCM82633A").specs
        _, found, _ = core.computation.local(Environment.LIVE, "89501", about, [101])
        return found.rate

    before = rate()
    rows = [{**ROW, "zip": "89502", "labor_rate": "260", "invoice": str(n)} for n in range(12)]

    assert import_invoices(core, csv_file(rows)).added == 12
    assert before < rate() < 260_00
    for one in all_transactions(core):
        core.transactions.delete(one.id)

    assert rate() == before


def test_file_is_learned_in_order_of_date(core: Core) -> None:
    days = ["2025-09-03", "2024-01-05", "2025-02-01"]
    import_invoices(core, csv_file([{**ROW, "date": day, "invoice": day} for day in days]))

    assert [str(one.performed_on) for one in all_transactions(core)] == sorted(days)
