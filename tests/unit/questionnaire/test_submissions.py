import re
from datetime import UTC, datetime

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.diagnosis.model import Candidate, Diagnosis, Reason
from repaircore.kernel.reference_numbers import REFERENCE_BYTES, reference_number
from repaircore.questionnaire.submissions import outcome_of

AT = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
PADS, *OTHERS = book().problems


@given(st.binary(min_size=REFERENCE_BYTES, max_size=REFERENCE_BYTES))
def test_a_reference_has_no_letter_that_looks_like_another(random: bytes) -> None:
    assert re.fullmatch(r"DR-20260131-[34679A-HJKMNPQRT-X]{6}", reference_number(AT, random))
    assert not set(reference_number(AT, random)[12:]) & set("0O1IL2Z5S8B")


def test_other_bytes_give_other_references() -> None:
    made = {reference_number(AT, number.to_bytes(REFERENCE_BYTES)) for number in range(10_000)}
    assert len(made) == 10_000


def test_only_what_something_speaks_for_is_suggested() -> None:
    spoken_for = Candidate(PADS, 0.7, (Reason("High-pitched squeal.", 3.0), Reason("No light.", -1.0)))
    denied = evolve(spoken_for, problem=OTHERS[0], reasons=(Reason("No light.", -1.0),))
    common = evolve(spoken_for, problem=OTHERS[1], reasons=())
    outcome = outcome_of(Diagnosis((common, spoken_for, denied), enough=True, entropy=1.0))
    assert [one.repair for one in outcome.suggestions] == [PADS.slug]
    assert outcome.suggestions[0].probability == 0.7
    assert outcome.enough


def test_the_five_likeliest_are_suggested() -> None:
    all_spoken_for = tuple(Candidate(one, 0.1, (Reason("Yes.", 1.0),)) for one in OTHERS[:9])
    outcome = outcome_of(Diagnosis(all_spoken_for, enough=False, entropy=3.0))
    assert [one.repair for one in outcome.suggestions] == [one.slug for one in OTHERS[:5]]
