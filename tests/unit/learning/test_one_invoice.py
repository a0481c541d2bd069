"""How far one invoice in a new installation moves estimates of the same and other jobs, here and elsewhere."""

import math
from collections.abc import Mapping
from datetime import date

import pytest

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import Environment
from repaircore.learning.transaction_rows import CreateTransaction

HERE, IN_STATE, ELSEWHERE = "90012", "94103", "10001"
VIN, OTHER_MAKE = "1HGCM82633A", "4T1BF1FK5GU"
JOB, OTHER_JOB = 101, 102
MARKUP = 1.4

EstimateKey = tuple[str, str, int]


def _averages(core: Core) -> Mapping[EstimateKey, int]:
    return {
        (vin, zip_code, job): core.price_ranges.ranges(
            Environment.LIVE, zip_code, core.vehicles.resolve(vin).specs, [job]
        )[job].average
        for vin in (VIN, OTHER_MAKE)
        for zip_code in (HERE, IN_STATE, ELSEWHERE)
        for job in (JOB, OTHER_JOB)
    }


def _moved(core: Core, *, in_rate: bool) -> Mapping[EstimateKey, float]:
    """Record an invoice 40% above the estimate; return how far each estimate follows it, as a share of that."""
    shop = core.facilities.create(CreateFacility(facility_name="Ours", zip_code=HERE)).id
    before, about = _averages(core), core.vehicles.resolve(VIN)
    _, _, answers = core.price_ranges.computation().local(Environment.LIVE, HERE, about.specs, [JOB])
    expected = answers[JOB].estimate.breakdown
    paid = round(MARKUP * before[VIN, HERE, JOB])
    parts = expected.parts_total if in_rate else round(MARKUP * expected.parts_total)
    hours = expected.labor_hours if in_rate else MARKUP * expected.labor_hours
    core.transactions.record(
        CreateTransaction(
            vehicle_id=about.id,
            problem_id=JOB,
            performed_on=date(2025, 12, 1),
            labor_hours=round(hours, 4),
            labor_rate=round((paid - parts) / hours),
            parts_total=parts,
            facility_id=shop,
        )
    )
    off = math.log(MARKUP)
    return {key: math.log(average / before[key]) / off for key, average in _averages(core).items()}


def test_expensive_job_moves_its_estimate_by_at_most_a_third_and_no_other_job(core: Core) -> None:
    moved = _moved(core, in_rate=False)

    assert 0.10 < moved[OTHER_MAKE, HERE, JOB] < moved[VIN, HERE, JOB] < 0.36
    assert moved[VIN, IN_STATE, JOB] == pytest.approx(moved[VIN, HERE, JOB], abs=0.02)
    assert all(abs(share) < 0.02 for (_, _, job), share in moved.items() if job == OTHER_JOB)


def test_expensive_rate_moves_the_shop_most_and_other_places_hardly(core: Core) -> None:
    moved = _moved(core, in_rate=True)
    here, in_state, elsewhere = (moved[VIN, code, OTHER_JOB] for code in (HERE, IN_STATE, ELSEWHERE))

    assert 0.2 < here < 0.7
    assert elsewhere < in_state < 0.25
    # The rate of another state follows by 11% of the rate's own deviation.
    assert 0 < elsewhere < 0.12
