"""Labor rates around a ZIP code, on both databases."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from io import BytesIO
from itertools import pairwise

import pytest
from attrs import evolve
from tests.threads import at_once

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility, RecalculationResult
from repaircore.facilities.ports import FacilitiesWork
from repaircore.facilities.rates import RateBasis, RegionRate
from repaircore.kernel.callers import LOCAL, Caller, Environment, Role
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from repaircore.kernel.imports import Upload
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PredictByVin

BEVERLY_HILLS, SAN_FRANCISCO, RENO = "90210", "94103", "89501"
VIN = "1HGCM82633A"


def job(core: Core, rate: int) -> CreateTransaction:
    return CreateTransaction(
        vehicle_id=core.vehicles.resolve(VIN).id,
        problem_id=101,
        performed_on=core.facilities.clock().date(),
        labor_hours=1.2,
        labor_rate=rate,
        parts_total=90_00,
    )


def rate(core: Core, zip_code: str) -> RegionRate:
    vehicle = core.vehicles.resolve(VIN).specs
    _, found, _ = core.computation.local(Environment.LIVE, zip_code, vehicle, [101])
    return found


def test_place_without_shops_and_invoices_uses_the_table(core: Core) -> None:
    found = rate(core, BEVERLY_HILLS)

    assert (found.basis, found.invoices) == (RateBasis.METRO_TABLE, 0)
    assert found.rate >= core.facilities.rates.at(BEVERLY_HILLS, "CA").rate
    assert "the Los Angeles area" in found.text


@pytest.mark.parametrize(
    ("zip_code", "basis", "words"),
    [
        (RENO, RateBasis.STATE_TABLE, "independent shops in NV"),
        ("59215", RateBasis.RURAL_TABLE, "rural MT"),
        ("00901", RateBasis.TERRITORY_TABLE, "Puerto Rico (our estimate)"),
        ("09012", RateBasis.NATIONAL, "a military post office (AE)"),
    ],
)
def test_every_kind_of_place_has_a_rate_with_its_origin(
    core: Core, zip_code: str, basis: RateBasis, words: str
) -> None:
    found = rate(core, zip_code)

    assert found.basis is basis
    assert words in found.text
    assert "dealers charge about $" in found.text


def test_invoices_change_the_rates_of_their_area_and_state(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Near", zip_code=BEVERLY_HILLS))
    before = {code: rate(core, code).rate for code in (BEVERLY_HILLS, SAN_FRANCISCO, RENO)}
    for _ in range(12):
        core.transactions.record(evolve(job(core, 300_00), facility_id=shop.id))
    here, far, elsewhere = (rate(core, code) for code in (BEVERLY_HILLS, SAN_FRANCISCO, RENO))

    assert (here.basis, here.invoices) == (RateBasis.REGION, 12)
    assert far.basis is RateBasis.STATE_SHOPS
    assert elsewhere.basis is RateBasis.STATE_TABLE
    assert 270_00 < here.rate < 330_00  # the dates of the invoice and of the request may differ
    assert before[SAN_FRANCISCO] < far.rate < here.rate
    assert before[RENO] < elsewhere.rate < far.rate


def test_rate_returns_when_its_invoices_are_deleted(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Near", zip_code=BEVERLY_HILLS))
    before = rate(core, BEVERLY_HILLS)
    recorded = [core.transactions.record(evolve(job(core, 300_00), facility_id=shop.id)) for _ in range(3)]

    assert rate(core, BEVERLY_HILLS).rate > before.rate
    for one in recorded:
        core.transactions.delete(one.id)

    assert rate(core, BEVERLY_HILLS) == before


def test_rate_entered_for_a_shop_is_used_unchanged(core: Core) -> None:
    core.facilities.create(CreateFacility(facility_name="Ada's", zip_code=RENO, avg_labor_rate=180))
    result = rate(core, RENO)

    assert (result.rate, result.basis, result.invoices) == (180_00, RateBasis.REGION, 0)
    assert result.text == "$180.00 an hour: the rate entered for the nearest shop with a rate."


def test_rate_is_the_mean_of_the_nearest_shops(core: Core) -> None:
    core.facilities.create(CreateFacility(facility_name="Next door", zip_code="90211", avg_labor_rate=300))
    for entered in (160, 170):
        core.facilities.create(
            CreateFacility(facility_name="Here", zip_code=BEVERLY_HILLS, avg_labor_rate=entered)
        )
    core.facilities.create(CreateFacility(facility_name="Silent", zip_code=BEVERLY_HILLS))
    result = rate(core, BEVERLY_HILLS)

    assert result.rate == 165_00
    assert "the mean of the rates entered for 2 shops" in result.text
    assert rate(core, "90211").rate == 300_00


def test_shop_without_a_rate_or_known_place_changes_nothing(core: Core) -> None:
    before = rate(core, BEVERLY_HILLS)
    core.facilities.create(CreateFacility(facility_name="Silent", zip_code=BEVERLY_HILLS))
    core.facilities.create(CreateFacility(facility_name="Nowhere", zip_code="00000", avg_labor_rate=999))

    assert rate(core, BEVERLY_HILLS) == before


def test_every_bad_field_of_a_shop_is_reported(core: Core) -> None:
    with pytest.raises(Invalid) as error:
        core.facilities.create(
            CreateFacility(
                facility_name=" ", city="a\0b", state="x" * 256, zip_code="9" * 21, avg_labor_rate=-1
            )
        )

    assert set(error.value.fields) == {"facility_name", "city", "state", "zip_code", "avg_labor_rate"}
    with pytest.raises(Invalid) as error:
        core.facilities.create(
            CreateFacility(facility_name="x" * 256, country="x" * 256, avg_labor_rate=2**70)
        )

    assert set(error.value.fields) == {"facility_name", "country", "avg_labor_rate"}


def test_longest_texts_are_stored(core: Core) -> None:
    text = "Ü" * 255
    shop = core.facilities.create(
        CreateFacility(facility_name=text, city=text, state=text, country=text, zip_code="9" * 20)
    )

    assert core.facilities.get(shop.id) == shop
    assert (shop.name, shop.city, shop.state, shop.country) == (text, text, text, text)


@pytest.mark.parametrize(
    ("state", "country", "expected"),
    [
        ("California", None, ("CA", None)),
        (" new  york", "usa", ("NY", "US")),
        ("ca", "U.S.A.", ("CA", "US")),
        ("Washington, D.C.", "United States", ("DC", "US")),
        ("Ontario", "Canada", ("Ontario", "Canada")),
        ("wa", "Australia", ("wa", "Australia")),
        ("Cascadia", None, ("Cascadia", None)),
        ("", "", (None, None)),
    ],
)
def test_state_is_stored_as_its_two_letters(
    core: Core, state: str, country: str | None, expected: tuple[str | None, str | None]
) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", state=state, country=country))

    assert (shop.state, shop.country) == expected


def test_zip_code_sets_the_place_and_a_missing_state(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", zip_code="90210-1234"))

    assert (shop.state, shop.zip_code) == ("CA", "90210-1234")
    assert shop.point is not None
    moved = core.facilities.update(shop.id, zip_code=RENO)

    assert moved.state == "NV"
    assert moved.point is not None
    assert moved.point != shop.point
    with pytest.raises(Invalid) as error:
        core.facilities.update(shop.id, state="Oregon", zip_code=BEVERLY_HILLS)
    assert set(error.value.fields) == {"state"}
    nowhere = core.facilities.update(shop.id, zip_code=None)

    assert (nowhere.state, nowhere.point) == ("NV", None)
    abroad = core.facilities.create(CreateFacility(facility_name="Bo", zip_code="90210", country="Mexico"))

    assert (abroad.state, abroad.point) == (None, None)


def test_state_name_counts_for_the_state(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Dear", state="california"))
    core.transactions.record(evolve(job(core, 300_00), facility_id=shop.id))

    assert rate(core, SAN_FRANCISCO).basis is RateBasis.STATE_SHOPS


def test_rate_of_0_counts_as_none(core: Core) -> None:
    before = rate(core, BEVERLY_HILLS)
    shop = core.facilities.create(
        CreateFacility(facility_name="Free", zip_code=BEVERLY_HILLS, avg_labor_rate=0)
    )

    assert shop.avg_labor_rate == 0
    assert rate(core, BEVERLY_HILLS) == before


def test_update_leaves_absent_fields_and_clears_null_ones(core: Core) -> None:
    shop = core.facilities.create(
        CreateFacility(facility_name="Ada's", city="Reno", zip_code=RENO, avg_labor_rate=120)
    )

    assert core.facilities.update(shop.id) == shop
    changed = core.facilities.update(shop.id, city=None, avg_labor_rate=121)

    assert (changed.name, changed.city, changed.zip_code, changed.avg_labor_rate) == (
        "Ada's",
        None,
        RENO,
        121_00,
    )
    assert core.facilities.get(shop.id) == changed


def test_only_real_changes_are_audited(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", avg_labor_rate=120))
    core.facilities.update(shop.id, facility_name=" Ada's ")
    core.facilities.update(shop.id, avg_labor_rate=121.5)
    core.facilities.delete(shop.id)
    removed, changed, added = core.audit.list_newest()

    assert [one.action for one in (added, changed, removed)] == [
        "region.add",
        "region.change",
        "region.remove",
    ]
    assert {one.subject for one in (added, changed, removed)} == {f"regions/{shop.id}"}
    assert (changed.before, changed.after) == ({"avg_labor_rate": 120.0}, {"avg_labor_rate": 121.5})
    assert (added.before, removed.after) == (None, None)
    assert removed.before == {**(added.after or {}), "avg_labor_rate": 121.5}


@pytest.mark.parametrize("facility_id", [0, -1, 1, 2**63, 10**30])
def test_unknown_shop_is_not_found(core: Core, facility_id: int) -> None:
    for act in (core.facilities.get, core.facilities.update, core.facilities.delete):
        with pytest.raises(NotFound, match="Region not found"):
            act(facility_id)


@pytest.mark.parametrize(
    "caller",
    [evolve(LOCAL, environment=Environment.TEST), evolve(LOCAL, role=Role.USER)],
    ids=["test", "user"],
)
def test_only_a_live_admin_may_change_shops(core: Core, caller: Caller) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's"))
    for act in (
        lambda: core.facilities.create(CreateFacility(facility_name="Bo's"), caller),
        lambda: core.facilities.update(shop.id, caller, facility_name="Bo's"),
        lambda: core.facilities.delete(shop.id, caller),
        lambda: core.facilities.recalculate(caller),
    ):
        with pytest.raises(Forbidden):
            act()

    assert list(core.facilities.page()) == [shop]


def test_concurrent_changes_are_saved_or_rejected(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", avg_labor_rate=1))
    rates = iter(range(100, 108))

    def change() -> int:
        wanted = next(rates)
        try:
            core.facilities.update(shop.id, avg_labor_rate=wanted)
        except Conflict:
            return 0
        return 1

    updated = sum(at_once(8, change))
    result = [one for one in core.audit.list_newest() if one.action == "region.change"]

    assert 1 <= updated == len(result)
    assert core.facilities.get(shop.id).version == shop.version + updated
    assert all(newer.before == older.after for newer, older in pairwise(result))


def test_recalculation_skips_a_shop_that_changes_meanwhile(core: Core) -> None:
    shops = [
        core.facilities.create(CreateFacility(facility_name=name, avg_labor_rate=90))
        for name in ("Ada's", "Bo's")
    ]
    vehicle = core.vehicles.resolve("1HGCM82633A")
    for shop in shops * 5:
        core.transactions.record(
            CreateTransaction(
                vehicle_id=vehicle.id,
                problem_id=101,
                performed_on=date(2025, 12, 1),
                labor_hours=1.0,
                labor_rate=120_00,
                facility_id=shop.id,
            )
        )

    @contextmanager
    def update_then_begin() -> Iterator[FacilitiesWork]:
        core.facilities.update(shops[0].id, avg_labor_rate=95)
        with core.storage.transaction() as unit:
            yield unit

    facilities = evolve(core.facilities, transaction=update_then_begin)

    assert facilities.recalculate() == RecalculationResult(updated=1, skipped=1)
    assert [core.facilities.get(shop.id).avg_labor_rate for shop in shops] == [95_00, 120_00]
    assert core.facilities.recalculate() == RecalculationResult(updated=2, skipped=0)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (RecalculationResult(updated=0, skipped=2), "0 regions were updated from invoices; 2 have too few."),
        (RecalculationResult(updated=1, skipped=1), "1 region was updated from invoices; 1 has too few."),
        (RecalculationResult(updated=2, skipped=0), "2 regions were updated from invoices; 0 have too few."),
    ],
)
def test_recalculation_is_summarized_in_a_sentence(result: RecalculationResult, text: str) -> None:
    assert result.text == text


def test_expensive_region_has_expensive_labor_in_predictions(core: Core) -> None:
    request = PredictByVin(vin="1HGCM82633A", zip_code=BEVERLY_HILLS, problem_identifier="brake-pads-front")
    before = core.predictions.predict(request).figures
    for _ in range(20):
        core.facilities.create(CreateFacility(facility_name="Dear", zip_code="90211", avg_labor_rate=300))
    after = core.predictions.predict(
        PredictByVin(vin=request.vin, zip_code="90211", problem_identifier="brake-pads-front")
    ).figures

    assert after.region.labor_rate > before.region.labor_rate
    assert after.region.labor_rate_source == RateBasis.REGION
    assert after.local.average > before.local.average
    assert after.breakdown.labor_hours == before.breakdown.labor_hours


def upload(text: str) -> Upload:
    return Upload(name="shops.csv", content=BytesIO(text.encode()))


def test_file_adds_shops_and_changes_known_ones(core: Core) -> None:
    core.facilities.create(CreateFacility(facility_name="ADAS", zip_code=RENO, avg_labor_rate=90))
    rows = "name,zip,rate\nAda's,89501-1234,95\nBo,,\nBo,,\n"
    result = core.facilities.import_file(upload(rows))

    assert (result.added, result.updated, result.unchanged, result.saved) == (1, 1, 1, True)
    again = core.facilities.import_file(upload(rows))

    assert (again.added, again.updated, again.unchanged) == (0, 0, 3)
    ada, bo = core.facilities.all()

    assert (ada.name, ada.state, ada.avg_labor_rate, bo.name) == ("Ada's", "NV", 95_00, "Bo")


def test_test_key_cannot_import_a_file(core: Core) -> None:
    test = evolve(LOCAL, environment=Environment.TEST)
    with pytest.raises(Forbidden):
        core.facilities.import_file(upload("name\nAda's\n"), caller=test)

    assert list(core.facilities.all()) == []
