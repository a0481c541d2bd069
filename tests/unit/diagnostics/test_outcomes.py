"""What became of diagnoses: confirming, accuracy, and learning overnight."""

import pytest

from repaircore.bootstrap import Core
from repaircore.diagnostics.complaints import Complaint
from repaircore.diagnostics.errors import CaseNotFound
from repaircore.kernel.errors import Invalid

TEXT = "the wobblewidget sings opera at dusk"


def first(core: Core) -> list[str]:
    advice = core.diagnoses.diagnose(Complaint(description=TEXT))
    return [one.problem.slug for one in advice.recommendations[:3]]


def diagnosed(core: Core) -> str:
    reference = core.diagnoses.diagnose(Complaint(description=TEXT)).reference
    assert reference is not None
    return reference


def test_a_diagnosis_can_be_confirmed_and_counts_in_the_accuracy(core: Core) -> None:
    reference = diagnosed(core)
    suggested = first(core)

    case = core.outcomes.confirm(reference, suggested[0])
    found = core.outcomes.accuracy()

    assert (case.repair, case.text) == (suggested[0], TEXT)
    assert (found.cases, found.confirmed, found.first, found.first_three) == (2, 1, 1, 1)
    assert found.stated is not None


def test_nothing_is_confirmed_without_a_diagnosis_or_a_repair(core: Core) -> None:
    with pytest.raises(CaseNotFound):
        core.outcomes.confirm("DG-20260131-7KXM4P", "fuel-cap")
    with pytest.raises(Invalid):
        core.outcomes.confirm(diagnosed(core), "no-such-repair")


def test_what_was_seen_twenty_times_changes_the_answers(core: Core) -> None:
    assert "horn" not in first(core)
    for _ in range(20):
        core.outcomes.confirm(diagnosed(core), "horn")

    counts = core.outcomes.learn()

    assert counts["cases"] == 20
    assert first(core)[0] == "horn"
