"""Outcomes of diagnoses: confirmation, accuracy and nightly learning."""

from datetime import timedelta

import pytest

from repaircore.core import Core
from repaircore.diagnosis.advice import Complaint
from repaircore.diagnosis.cases import ConfirmedBy
from repaircore.diagnosis.outcomes import CaseNotFound
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.testing.clock import FrozenClock
from repaircore.transactions.model import TransactionPart

VIN = "1HGCM82633A004352"
TEXT = "the wobblewidget sings opera at dusk"


def first_three(core: Core) -> list[str]:
    advice = core.diagnoses.diagnose(Complaint(description=TEXT))
    return [one.problem.slug for one in advice.recommendations[:3]]


def diagnose(core: Core) -> str:
    reference = core.diagnoses.diagnose(Complaint(description=TEXT)).reference

    assert reference is not None
    return reference


def test_confirmed_diagnosis_counts_in_the_accuracy(core: Core) -> None:
    reference = diagnose(core)
    suggested = first_three(core)

    case = core.outcomes.confirm(reference, suggested[0])
    found = core.outcomes.accuracy()

    assert (case.repair, case.text) == (suggested[0], TEXT)
    assert (found.cases, found.confirmed, found.first, found.first_three) == (2, 1, 1, 1)
    assert found.stated is not None


def test_confirm_rejects_an_unknown_diagnosis_or_repair(core: Core) -> None:
    with pytest.raises(CaseNotFound):
        core.outcomes.confirm("DG-20260131-7KXM4P", "fuel-cap")
    with pytest.raises(Invalid):
        core.outcomes.confirm(diagnose(core), "no-such-repair")


def test_learn_changes_answers_after_twenty_cases(core: Core) -> None:
    assert "horn" not in first_three(core)
    for _ in range(20):
        core.outcomes.confirm(diagnose(core), "horn")

    counts = core.outcomes.learn()

    assert counts["cases"] == 20
    assert first_three(core)[0] == "horn"


def diagnose_car(core: Core, text: str = "grinding when I brake") -> str:
    reference = core.diagnoses.diagnose(Complaint(description=text, vin=VIN)).reference

    assert reference is not None
    return reference


def record_invoice(core: Core, repair: str, clock: FrozenClock, *, days: int) -> None:
    core.transactions.record(
        CreateTransaction(
            vehicle_id=core.vehicles.resolve(VIN).id,
            problem_id=core.problems.get(repair).id,
            performed_on=(clock.now + timedelta(days=days)).date(),
            labor_hours=1.0,
            labor_rate=120_00,
            parts=(TransactionPart(name="Part", unit_price=50_00, quantity=1),),
            vin=VIN,
        )
    )


def confirmations(core: Core) -> list[tuple[str | None, ConfirmedBy | None]]:
    with core.storage.read() as work:
        return [(one.repair, one.confirmed_by) for one in work.cases.list_confirmed(Environment.LIVE)]


def test_invoice_confirms_a_diagnosis_even_if_recorded_late(core: Core, clock: FrozenClock) -> None:
    diagnose_car(core)
    clock.advance(timedelta(days=100))
    record_invoice(core, "brake-rotors-front", clock, days=-90)

    assert core.outcomes.learn()["invoiced"] == 1
    assert confirmations(core) == [("brake-rotors-front", ConfirmedBy.INVOICE)]
    assert core.outcomes.accuracy().confirmed == 1


def test_service_or_late_repair_confirms_nothing(core: Core, clock: FrozenClock) -> None:
    diagnose_car(core)
    clock.advance(timedelta(days=80))
    record_invoice(core, "oil-change", clock, days=-70)
    record_invoice(core, "brake-pads-front", clock, days=-5)

    assert core.outcomes.learn()["invoiced"] == 0
    assert confirmations(core) == []


def test_repair_of_prefers_a_suggested_repair(core: Core, clock: FrozenClock) -> None:
    reference = diagnose_car(core)
    with core.storage.read() as work:
        case = work.cases.find(reference)

    assert case is not None
    clock.advance(timedelta(days=9))
    record_invoice(core, "wiper-blades", clock, days=-8)
    record_invoice(core, case.suggested[1], clock, days=-2)

    core.outcomes.learn()

    assert confirmations(core) == [(case.suggested[1], ConfirmedBy.INVOICE)]
