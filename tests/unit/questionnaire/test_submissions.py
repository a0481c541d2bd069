from attrs import evolve

from repaircore.adapters.shipped.book import book
from repaircore.diagnosis.model import Candidate, Diagnosis, Reason
from repaircore.questionnaire.submissions import outcome_of

PADS, *OTHERS = book().problems


def test_outcome_of_suggests_only_repairs_with_a_reason() -> None:
    spoken_for = Candidate(PADS, 0.7, (Reason("High-pitched squeal.", 3.0), Reason("No light.", -1.0)))
    denied = evolve(spoken_for, problem=OTHERS[0], reasons=(Reason("No light.", -1.0),))
    common = evolve(spoken_for, problem=OTHERS[1], reasons=())
    outcome = outcome_of(Diagnosis((common, spoken_for, denied), enough=True, entropy=1.0))

    assert [one.repair for one in outcome.suggestions] == [PADS.slug]
    assert outcome.suggestions[0].probability == 0.7
    assert outcome.enough


def test_outcome_of_suggests_the_five_likeliest() -> None:
    all_spoken_for = tuple(Candidate(one, 0.1, (Reason("Yes.", 1.0),)) for one in OTHERS[:9])
    outcome = outcome_of(Diagnosis(all_spoken_for, enough=False, entropy=3.0))

    assert [one.repair for one in outcome.suggestions] == [one.slug for one in OTHERS[:5]]
