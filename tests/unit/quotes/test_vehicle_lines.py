"""Lines of quotes for particular vehicles: what the same words mean on a diesel, a solid axle or with two batteries."""

from collections.abc import Iterator

import pytest

from repaircore.core import Core, build
from repaircore.quotes.comparison import Verdict
from repaircore.quotes.model import CheckedLine
from repaircore.quotes.quote import Quote, QuotedSpecs
from repaircore.settings import Settings

RAM = QuotedSpecs(year=2016, make="Ram", model="2500", engine="6.7")
CUMMINS = QuotedSpecs(year=2006, make="Dodge", model="Ram 2500", engine="5.9")
DURAMAX = QuotedSpecs(year=2016, make="Chevrolet", model="Silverado 2500HD", engine="6.6")
GAS_HD = QuotedSpecs(year=2016, make="Chevrolet", model="Silverado 2500HD", engine="6.0")
F250 = QuotedSpecs(year=2011, make="Ford", model="F-250", engine="6.7")
JETTA_TDI = QuotedSpecs(year=2011, make="Volkswagen", model="Jetta", engine="2.0 TDI")
GTI = QuotedSpecs(year=2014, make="Volkswagen", model="GTI", engine="2.0")
ACCORD = QuotedSpecs(year=2015, make="Honda", model="Accord", engine="2.4")
CHEROKEE = QuotedSpecs(year=1999, make="Jeep", model="Cherokee", engine="4.0")
PRIUS = QuotedSpecs(year=2010, make="Toyota", model="Prius")
SPRINTER = QuotedSpecs(year=2012, make="Mercedes-Benz", model="Sprinter 2500", engine="3.0")
POWER_STROKE = QuotedSpecs(year=2004, make="Ford", model="F-250", engine="6.0")
TRANSIT = QuotedSpecs(year=2017, make="Ford", model="Transit", engine="3.7")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    core = build(Settings(database_url=f"sqlite:///{tmp_path_factory.mktemp('vehicle_lines') / 'x.db'}"))
    yield core
    core.close()


def read(core: Core, specs: QuotedSpecs, text: str) -> tuple[CheckedLine, ...]:
    found = core.quotes.read_text({"text": text})
    return core.quotes.check(Quote(specs=specs, zip_code="60601", lines=found.lines, read=found)).lines


@pytest.mark.parametrize(
    ("specs", "text", "slug"),
    [
        (RAM, "HPFP replacement 3,890.00", "diesel-injection-pump"),
        (DURAMAX, "High pressure fuel pump replacement 3,890.00", "diesel-injection-pump"),
        (F250, "Replace HPFP parts 2,390.00 labor 9.0 hrs 1,500.00", "diesel-injection-pump"),
        (GTI, "HPFP replacement 890.00", "high-pressure-fuel-pump"),
        (CUMMINS, "CP3 injection pump replacement parts 1100 labor 5 hrs 800 total 1900", "diesel-injection-pump"),
        (DURAMAX, "Fuel filter 189.00", "fuel-filter-diesel"),
        (DURAMAX, "Replace fuel filter 189.00", "fuel-filter-diesel"),
        (ACCORD, "Fuel filter 189.00", None),
        (ACCORD, "Replace fuel pump 780.00", "fuel-pump"),
        (ACCORD, "PCV valve replacement 120.00", "pcv-valve"),
        (ACCORD, "Replace throttle body 520.00", "throttle-body"),
        (CUMMINS, "Lift pump replacement 650.00", None),
        (JETTA_TDI, "Replace fuel pump 650.00", None),
        (RAM, "Crankcase vent filter replacement 189.00", None),
        (F250, "CCV filter 189.00", None),
        (RAM, "Throttle valve actuator replacement 620.00", None),
        (DURAMAX, "HPFP replacement with contamination kit 9,890.00", None),
        (CHEROKEE, "U-joints front axle shafts 190.00", None),
        (CHEROKEE, "Front axle shaft u-joints, both sides 390.00", None),
        (CHEROKEE, "Driveshaft U-joint replacement 290.00", "driveshaft-u-joint"),
        (ACCORD, "Replace left CV axle 389.00", "cv-axle"),
        (ACCORD, "Throttle body clean 129.00", "throttle-body-cleaning"),
        (ACCORD, "Clean throttle body 129.00", "throttle-body-cleaning"),
        (PRIUS, "HV batt R&R 2,425.00", "hybrid-battery"),
        (PRIUS, "Replace HV battery contactor 825.00", "hv-battery-contactor"),
        (DURAMAX, "Batteries x2 438.00", "battery-replacement"),
        (DURAMAX, "Replace 2 batteries 438.00", "battery-replacement"),
        (TRANSIT, "Mount and balance 4 tires 128.00", None),
        (TRANSIT, "M&B, stems, disposal 4 @ 32 128.00", None),
        (TRANSIT, "Replace 4 tires, mount and balance 928.00", "tire-replacement-set"),
        (TRANSIT, "Balance 4 tires 68.00", "tire-balance"),
    ],
)  # fmt: skip
def test_words_mean_the_repair_that_the_vehicle_can_have(
    core: Core, specs: QuotedSpecs, text: str, slug: str | None
) -> None:
    (line,) = read(core, specs, text)

    assert (line.problem.slug if line.problem else None) == slug
    assert slug is None or line.assessment is not None
    assert not line.assessed.is_misfit


@pytest.mark.parametrize(
    ("specs", "text", "verdict"),
    [
        (DURAMAX, "Replace both batteries 438.00", Verdict.FAIR),
        (DURAMAX, "Replace one battery 219.00", Verdict.FAIR),
        (DURAMAX, "Replace batteries 438.00", Verdict.FAIR),
        (DURAMAX, "Replace one battery 500.00", Verdict.HIGH),
        (RAM, "Replace both batteries 498.00", Verdict.FAIR),
        (GAS_HD, "Replace battery 389.00", Verdict.FAIR),
        (GAS_HD, "Replace both batteries 438.00", Verdict.LOW),  # the book's job is one battery
        (ACCORD, "Replace battery 229.00", Verdict.FAIR),
    ],
)
def test_batteries_are_compared_with_as_many_as_the_price_is_for(
    core: Core, specs: QuotedSpecs, text: str, verdict: Verdict
) -> None:
    (line,) = read(core, specs, text)

    assert line.assessment is not None
    assert line.assessment.verdict is verdict


@pytest.mark.parametrize(
    ("specs", "text"),
    [
        (SPRINTER, "Oil cooler seals (valley leak) parts 165.00 labor 13.5 2,092.50"),
        (POWER_STROKE, "Oil cooler replacement parts 389.00 labor 9.0 hrs 1,485.00"),
    ],
)
def test_oil_cooler_in_the_valley_takes_a_day(core: Core, specs: QuotedSpecs, text: str) -> None:
    (line,) = read(core, specs, text)

    assert line.assessment is not None
    assert line.expected is not None
    assert line.expected.hours > 7
    assert line.assessment.verdict is Verdict.FAIR


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Replace hybrid battery 2,150.00\nCore deposit (refundable) 500.00", Verdict.FAIR),
        ("Replace hybrid battery 2,150.00\nHybrid battery core charge 1,350.00", Verdict.FAIR),
        ("Replace hybrid battery 2,150.00\nCore deposit 1,950.00", Verdict.HIGH),
        ("Replace water pump 690.00\nCore deposit 500.00", Verdict.HIGH),
        ("Replace water pump 690.00\nCore charge 45.00", Verdict.FAIR),
    ],
)
def test_core_deposit_of_a_traction_battery_is_large(core: Core, text: str, verdict: Verdict) -> None:
    _, core_charge = read(core, PRIUS, text)

    assert core_charge.assessment is not None
    assert core_charge.assessment.verdict is verdict


def test_labor_of_a_battery_goes_with_the_battery(core: Core) -> None:
    text = (
        "Replace hybrid battery pack reman   2,150.00\nLabor HV batt R&R   425.00\nBrake fluid flush   129.00"
    )
    lines = read(core, PRIUS, text)

    assert sum(line.line.total for line in lines) == 2704_00
    assert all(line.assessment and line.assessment.verdict is Verdict.FAIR for line in lines)


def test_machine_shop_work_is_no_diagnosis(core: Core) -> None:
    text = (
        "R&R cylinder heads, cab off, both sides   28.0 hr @ 165.00   4,620.00\n"
        "  Machine shop - deck & pressure test 2 heads   480.00\n"
        "Cooling system pressure test   120.00"
    )
    first, *_, last = read(core, POWER_STROKE, text)

    assert first.line.total == 5100_00
    assert last.problem is not None
    assert last.problem.slug == "cooling-system-pressure-test"


def test_unnamed_fee_with_a_cap_is_described_by_one_amount(core: Core) -> None:
    _, fee = read(core, ACCORD, "Replace engine 4,890.00\nShop fee 50.00")

    assert fee.assessment is not None
    assert fee.assessment.reason.text == "An unnamed fee: about $50 is usual."


def test_parts_of_a_job_decide_before_its_words(core: Core) -> None:
    text = (
        "R&R cylinder heads, cab off, both sides   28.0 hr @ 165.00   4,620.00\n"
        "  Head gasket kit   389.00\n"
        "  Head studs   549.95"
    )
    (line,) = read(core, POWER_STROKE, text)

    assert line.problem is not None
    assert line.problem.slug == "head-gasket"
