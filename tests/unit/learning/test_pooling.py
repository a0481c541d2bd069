"""Priors exported from one installation and imported into another, on both databases."""

import io
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import date
from typing import Any

import pytest
from attrs import evolve
from tests.unit.learning.test_service import NEW_TRANSACTION, learned_rows

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, NotFound
from repaircore.kernel.imports import ImportOptions, Upload
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.transactions.evidence import Kind
from repaircore.transactions.levels import Level

TEST = evolve(LOCAL, environment=Environment.TEST)
"""Stands for another installation: environments share no figures."""

ACCORD, CAMRY = "1HGCM82633A00{:04d}", "4T1BF1FK5GU00{:04d}"


def record_invoices(core: Core, *, markup: float = 1.5, caller: Caller = LOCAL, cars: int = 8) -> list[int]:
    shops = [
        core.facilities.create(CreateFacility(facility_name=f"Ada's Garage {n}", zip_code=code)).id
        for n, code in enumerate(("89501", "89502", "89503"))
    ]
    return [
        core.transactions.record(_new_transaction(core, number, markup, shops[number % 3]), caller).id
        for number in range(cars)
    ]


def _new_transaction(core: Core, number: int, markup: float, shop: int | None = None) -> CreateTransaction:
    return evolve(
        NEW_TRANSACTION,
        vehicle_id=core.vehicles.resolve(ACCORD[:11]).id,
        facility_id=shop,
        labor_hours=NEW_TRANSACTION.labor_hours * markup,
        parts=tuple(
            evolve(part, unit_price=round(part.unit_price * markup)) for part in NEW_TRANSACTION.parts
        ),
        performed_on=date(2025, 11, 1 + number % 28),
        notes=f"call Ada at 555-0100, {ACCORD.format(number)}",
    )


def _average(core: Core, caller: Caller = LOCAL) -> int:
    about = core.vehicles.resolve(ACCORD[:11]).specs
    return core.price_ranges.ranges(caller.environment, "89501", about, [NEW_TRANSACTION.problem_id])[
        NEW_TRANSACTION.problem_id
    ].average


def _texts(document: Any) -> Iterable[str]:
    match document:
        case dict():
            for value in document.values():
                yield from _texts(value)
        case list():
            for value in document:
                yield from _texts(value)
        case str():
            yield document


def test_another_installation_starts_from_our_estimates(core: Core) -> None:
    record_invoices(core)
    before = _average(core, TEST)
    exported = core.pooling.export()
    result = core.pooling.import_priors(exported.document, TEST, weight=50)
    after = _average(core, TEST)

    assert (result.before, result.unknown, result.standing.repairs) == (None, [], 1)
    assert result.standing.cells == exported.cells
    assert abs(after - _average(core)) < 0.1 * _average(core) < after - before
    assert core.ledger.page(caller=TEST).total == 0


def test_exported_prices_include_their_drift(core: Core) -> None:
    for number in range(44):
        markup, month = (1.0, 6) if number < 22 else (1.5, 11)
        sold = evolve(_new_transaction(core, number, markup), performed_on=date(2025, month, 1))
        core.transactions.record(sold)
    with core.pooling.read() as work:
        drift, _ = work.priors.drifts(LOCAL.environment)
        means = {
            key.kind: cell.mean
            for key, cell in work.priors.learned(LOCAL.environment)
            if key.problem_id and key.level is Level.PROBLEM
        }
    document = core.pooling.export().document
    (repair,) = document["repairs"]
    prices, hours = (
        {cell["mean"] for cell in repair[name] if len(cell) == 2} for name in ("prices", "hours")
    )

    assert drift > 0.05
    assert prices == {round(means[Kind.PRICE] + drift, 2)}
    assert hours == {round(means[Kind.HOURS], 2)}
    # Those of a vehicle are relative to its repairs, which have the drift already.
    assert [abs(cell["mean"]) < 0.1 for cell in document["vehicles"]] == [True] * 3


def test_exported_file_identifies_no_person_shop_or_car(core: Core) -> None:
    record_invoices(core, cars=15)
    text = json.dumps(core.pooling.export().document)

    for secret in (
        "Ada",
        "555",
        "895",
        "Garage",
        "call",
        *(ACCORD.format(n) for n in range(15)),
        ACCORD[:11],
    ):
        assert secret not in text

    assert not re.search(r"\d{5}", text)  # no ZIP code, no id of eight digits, no exact count
    assert not re.search(r"(?i)vin|shop|facility|user|email|zip", text)
    assert {*_texts(core.pooling.export().document)} == {
        "repaircore-priors",
        core.pooling.export().document["made_in"],
        "brake-pads-front",
        "honda",
        "accord",
        "front brake pad set",
        "brake hardware kit",
        "NV",
    }


def test_cells_of_few_invoices_are_not_exported(core: Core) -> None:
    record_invoices(core, cars=4)
    found = core.pooling.export()

    assert (found.repairs, found.cells) == (0, 0)
    assert found.kept_back > 5
    with pytest.raises(Invalid, match="None of the file"):
        core.pooling.import_priors(found.document, TEST)


def test_many_invoices_of_one_car_are_not_exported(core: Core) -> None:
    head = "vin,problem,date,parts_total,labor_hours,labor_rate,invoice"
    for vins, repairs in (([ACCORD.format(7)] * 9, 0), ([CAMRY.format(n) for n in range(9)], 1)):
        rows = [
            f"{vin},brake-pads-front,2025-11-{n + 1:02d},80.00,1.1,150.00,{vin}{n}"
            for n, vin in enumerate(vins)
        ]
        content = io.BytesIO("\n".join([head, *rows]).encode())
        core.invoice_imports.import_file(Upload(name="a.csv", content=content), ImportOptions())

        assert core.pooling.export().repairs == repairs
    prices = core.pooling.export().document["repairs"][0]["prices"]

    assert {cell.get("make") for cell in prices} == {None, "toyota"}


def test_rate_of_a_state_with_few_shops_is_not_exported(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Alone", zip_code="89501")).id
    for number in range(9):
        core.transactions.record(_new_transaction(core, number, 1.0, shop))

    assert core.pooling.export().document["labor_rates"] == []


def test_part_of_only_one_car_is_not_exported(core: Core) -> None:
    head = "vin,problem,date,part_1_name,part_1_price,part_1_quantity,labor_hours,labor_rate,invoice"
    sold = [(ACCORD.format(7), "Front brake pad set", n) for n in range(7)]
    sold += [(CAMRY.format(n), "Brake hardware kit", n) for n in range(5)]
    rows = [
        f"{vin},brake-pads-front,2025-11-{n + 1:02d},{part},80.00,1,{',' if n % 2 else '1.1,150.00'},{vin}{n}"
        for vin, part, n in sold
    ]
    content = io.BytesIO("\n".join([head, *rows]).encode())
    core.invoice_imports.import_file(Upload(name="a.csv", content=content), ImportOptions())

    assert core.ledger.page().total == 12
    (repair,) = core.pooling.export().document["repairs"]

    assert repair["prices"]
    assert [one["part"] for one in repair["parts"]] == ["brake hardware kit"]
    # Three Camrys and the one Accord had hours.
    assert repair["hours"] == []


@pytest.mark.parametrize(
    ("counts", "states"),
    [((5, 5, 5), {None, "NV"}), ((5, 5, 4), set()), ((10, 5, 5), {None, "NV"}), ((11, 5, 5), set())],
)
def test_rate_of_a_state_with_one_large_shop_is_not_exported(
    core: Core, counts: Sequence[int], states: set[str | None]
) -> None:
    for place, count in enumerate(counts):
        shop = core.facilities.create(CreateFacility(facility_name=f"Shop {place}", zip_code="89501")).id
        for number in range(count):
            core.transactions.record(_new_transaction(core, number, 1.0, shop))
    rates = core.pooling.export().document["labor_rates"]

    assert {one.get("state") for one in rates} == states


def test_importing_again_replaces_and_removing_leaves_no_trace(core: Core) -> None:
    record_invoices(core)
    for number in range(3):
        core.transactions.record(_new_transaction(core, number, 1.1), TEST)
    core.refits.refit(TEST)
    before = _average(core, TEST)
    document = core.pooling.export().document

    once = core.pooling.import_priors(document, TEST)
    with_it = _average(core, TEST)
    again = core.pooling.import_priors(document, TEST)

    assert _average(core, TEST) == with_it != before
    assert again.before == once.standing == again.standing == core.pooling.standing(TEST)
    assert core.pooling.remove(TEST) == once.standing
    assert _average(core, TEST) == before
    with pytest.raises(NotFound):
        core.pooling.remove(TEST)


def test_prior_outlives_refits_and_own_invoices_stay_exact(core: Core) -> None:
    record_invoices(core)
    core.pooling.import_priors(core.pooling.export().document, TEST)
    core.refits.refit(TEST)
    empty, start = learned_rows(core), _average(core, TEST)
    ids = [core.transactions.record(_new_transaction(core, number, 0.8), TEST).id for number in range(6)]
    core.refits.refit(TEST)

    assert _average(core, TEST) < start
    for number in ids:
        core.transactions.delete(number, TEST)
    core.refits.refit(TEST)

    assert learned_rows(core) == empty
    assert _average(core, TEST) == start


def test_invoice_file_uses_the_same_prior_as_a_single_invoice(core: Core) -> None:
    record_invoices(core)
    core.pooling.import_priors(core.pooling.export().document, TEST)
    one = core.transactions.record(evolve(_new_transaction(core, 3, 1.2), notes=None), TEST)

    assert one.lesson is not None
    core.transactions.delete(one.id, TEST)
    row = (
        f"{ACCORD[:11]},brake-pads-front,{one.performed_on},{one.parts_total / 100},{one.labor_hours},150.00"
    )
    content = io.BytesIO(f"vin,problem,date,parts_total,labor_hours,labor_rate\n{row}".encode())
    core.invoice_imports.import_file(
        Upload(name="a.csv", content=content, environment=Environment.TEST), ImportOptions(), TEST
    )
    (transaction,) = core.ledger.page(caller=TEST).items

    assert transaction.lesson is not None
    assert transaction.lesson.evidence.price == one.lesson.evidence.price
    assert transaction.lesson.surprise.bin == one.lesson.surprise.bin


def test_figures_are_converted_to_this_installations_book(core: Core) -> None:
    record_invoices(core)
    document = core.pooling.export().document
    core.pooling.import_priors(document, TEST, weight=1_000)
    same = _average(core, TEST)
    cheaper: dict[str, Any] = deepcopy(dict(document))
    for repair in cheaper["repairs"]:
        repair["book"]["price"] = round(repair["book"]["price"] / 2, 2)
    core.pooling.import_priors(cheaper, TEST, weight=1_000)

    assert _average(core, TEST) < 0.8 * same


def test_dry_run_changes_nothing(core: Core) -> None:
    record_invoices(core)
    before = _average(core, TEST)
    result = core.pooling.import_priors(core.pooling.export().document, TEST, dry_run=True)

    assert result.dry_run
    assert result.standing.cells > 5
    assert core.pooling.standing(TEST) is None
    assert _average(core, TEST) == before


def test_unknown_repairs_are_skipped_and_reported(core: Core) -> None:
    record_invoices(core)
    document = dict(core.pooling.export().document)
    (repair,) = document["repairs"]
    document["repairs"] = [repair, {**repair, "repair": "flux-capacitor"}]
    result = core.pooling.import_priors(document, TEST)

    assert (result.standing.repairs, result.unknown) == (1, ["flux-capacitor"])


@pytest.mark.parametrize("weight", [0, -1, 1_001, 1.5, True])
def test_bad_file_or_weight_changes_nothing(core: Core, weight: Any) -> None:
    record_invoices(core)
    document = core.pooling.export().document
    core.pooling.import_priors(document, TEST)
    standing, average = core.pooling.standing(TEST), _average(core, TEST)
    with pytest.raises(Invalid):
        core.pooling.import_priors(document, TEST, weight=weight)
    with pytest.raises(Invalid):
        core.pooling.import_priors({**document, "vehicles": 7}, TEST)

    assert (core.pooling.standing(TEST), _average(core, TEST)) == (standing, average)


def test_imported_priors_are_not_exported(core: Core) -> None:
    record_invoices(core)
    document = core.pooling.export().document
    core.pooling.import_priors(document, TEST)
    with pytest.raises(NotFound, match="nothing has been learned from invoices yet"):
        core.pooling.export(TEST)

    record_invoices(core, markup=0.7, caller=TEST)
    core.pooling.remove(TEST)
    core.refits.refit(TEST)
    before = core.pooling.export(TEST).document
    foreign = deepcopy(dict(document))
    foreign["spread"] |= {"spread": 2.5, "make": 0.9, "off_book": 1.25}
    core.pooling.import_priors(foreign, TEST, weight=1_000)
    after = core.pooling.export(TEST).document

    assert {*before} == {*after}
    assert before == after
    assert before["vehicles"]


class _KilledError(Exception):
    pass


@pytest.mark.parametrize("short", [2_000, 5])
def test_crash_before_the_refit_rolls_back_or_leaves_it_outstanding(
    core: Core, monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    record_invoices(core)
    document = core.pooling.export().document
    record_invoices(core, markup=0.8, caller=TEST)
    core.refits.refit(TEST)
    without = _average(core, TEST)

    def kill(*_: object) -> None:
        raise _KilledError

    with monkeypatch.context() as patched:
        patched.setattr("repaircore.learning.pooling._SHORT", short)
        patched.setattr("repaircore.learning.refits.Refits.refit", kill)
        for use in (lambda: core.pooling.import_priors(document, TEST), lambda: core.pooling.remove(TEST)):
            with suppress(_KilledError):
                use()

            assert core.pooling.is_refit_outstanding(TEST) is (short == 5)
            there = _average(core, TEST)
    if short == 2_000:
        assert there == without
    core.refits.refit(TEST)

    assert not core.pooling.is_refit_outstanding(TEST)
    assert _average(core, TEST) == without


def test_import_is_in_the_audit_log(core: Core) -> None:
    record_invoices(core)
    core.pooling.import_priors(core.pooling.export().document, TEST)
    core.pooling.remove(TEST)
    with core.storage.read() as work:
        result = {entry.action: entry for entry in work.audit.list_newest(limit=10)}
    shown = result["estimates.import_priors"].after

    assert shown is not None
    assert shown["weight"] == 20
    assert result["estimates.import_priors"].before is None
    assert (result["estimates.remove_priors"].before, result["estimates.remove_priors"].after) == (
        shown,
        None,
    )


def test_only_admins_import_priors(core: Core) -> None:
    nobody = Caller(
        user_id=1, key_id=None, environment=Environment.LIVE, role=Role.USER, credential=Credential.SESSION
    )
    for use in (
        core.pooling.export,
        core.pooling.remove,
        core.pooling.standing,
        lambda caller: core.pooling.import_priors({}, caller),
    ):
        with pytest.raises(Forbidden):
            use(nobody)
