import math
import random
from typing import TypeVar

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.book.model import Fits, Recurrence, Symptom, Wear
from repaircore.book.vocabulary import NO_VOCABULARY, Vocabulary
from repaircore.diagnosis.engine import chances, diagnose, mileage_bits
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Clues, Diagnosis, Finding, Hint
from repaircore.diagnosis.questions import SURE, next_question
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits
from repaircore.testing.builders import a_problem

KNOWN = shipped_knowledge()
SYMPTOMS = sorted(KNOWN.symptoms)
T = TypeVar("T")
SLUGS = [problem.slug for problem in KNOWN.problems]

findings = some.builds(Finding, some.sampled_from(SYMPTOMS), some.booleans())
hints = some.builds(Hint, some.sampled_from(SLUGS), some.floats(0, 20))
traits = some.builds(
    Traits,
    powertrain=some.none() | some.sampled_from(Powertrain),
    drive=some.none() | some.sampled_from(Drive),
    body=some.none() | some.sampled_from(Body),
)
clues = some.builds(
    Clues,
    findings=some.lists(findings, max_size=8).map(tuple),
    codes=some.lists(some.sampled_from([*sorted(KNOWN.codes)[:40], "P3FFF"]), max_size=3).map(tuple),
    hints=some.lists(hints, max_size=8).map(tuple),
    mileage=some.none() | some.integers(0, 2_000_000),
    traits=traits,
)


def shuffle(items: tuple[T, ...], dice: random.Random) -> tuple[T, ...]:
    return tuple(dice.sample(items, len(items)))


def probability(diagnosis: Diagnosis, slug: str) -> float:
    return next((one.probability for one in diagnosis.candidates if one.problem.slug == slug), 0.0)


@given(clues)
def test_diagnose_sorts_probabilities_that_add_up_to_one(case: Clues) -> None:
    found = diagnose(KNOWN, case)

    assert math.isclose(math.fsum(one.probability for one in found.candidates), 1, abs_tol=1e-9)
    assert all(0 <= one.probability <= 1 for one in found.candidates)
    likeliest = [one.probability for one in found.candidates]

    assert likeliest == sorted(likeliest, reverse=True)
    assert 0 <= found.entropy <= math.log2(len(SLUGS)) + 1e-9


@given(clues, some.randoms(use_true_random=False))
def test_diagnose_ignores_the_order_of_clues(case: Clues, dice: random.Random) -> None:
    other = evolve(
        case,
        findings=shuffle(case.findings, dice),
        codes=shuffle(case.codes, dice),
        hints=shuffle(case.hints, dice),
    )

    assert diagnose(KNOWN, other) == diagnose(KNOWN, case)
    assert next_question(KNOWN, other) == next_question(KNOWN, case)


@given(clues)
def test_diagnose_counts_duplicates_once(case: Clues) -> None:
    twice = evolve(case, findings=case.findings * 2, codes=case.codes * 2, hints=case.hints * 2)

    assert diagnose(KNOWN, twice) == diagnose(KNOWN, case)


@given(clues, some.sampled_from(SYMPTOMS))
def test_finding_favors_the_repairs_that_explain_it(case: Clues, symptom: str) -> None:
    case = evolve(case, findings=tuple(one for one in case.findings if one.symptom != symptom))
    before = chances(KNOWN, case)
    after = chances(KNOWN, evolve(case, findings=(*case.findings, Finding(symptom, present=True))))
    explaining = {link.repair for link in KNOWN.by_symptom[symptom]} & before.keys()
    others = before.keys() - explaining
    for one in explaining:
        for other in list(others)[:5]:
            assert after[one] * before[other] >= before[one] * after[other] - 1e-12


@given(clues)
def test_diagnose_leaves_out_repairs_that_do_not_fit(case: Clues) -> None:
    found = diagnose(KNOWN, case).candidates

    assert all(one.problem.fits.allows(case.traits) for one in found)
    assert len(found) == sum(problem.fits.allows(case.traits) for problem in KNOWN.problems)


@given(clues)
def test_probability_is_the_prior_and_the_reasons(case: Clues) -> None:
    found = diagnose(KNOWN, case).candidates
    bits = [
        KNOWN.priors[KNOWN.numbers[one.problem.slug]] + math.fsum(reason.weight for reason in one.reasons)
        for one in found
    ]
    for one, its_bits in zip(found[1:20], bits[1:20], strict=True):
        if one.probability > 1e-12:
            ratio = math.log2(found[0].probability / one.probability)

            assert math.isclose(bits[0] - its_bits, ratio, abs_tol=1e-6)


def test_diagnose_returns_the_priors_without_clues() -> None:
    found = diagnose(KNOWN, Clues())

    assert not found.enough
    assert found.candidates[0].reasons == ()
    assert next_question(KNOWN, Clues()) is not None


def test_mileage_alone_is_not_enough() -> None:
    assert not diagnose(KNOWN, Clues(mileage=150_000)).enough


def test_single_code_gives_the_likelihoods_of_the_table() -> None:
    found = diagnose(KNOWN, Clues(codes=("P0420",)))
    for cause in KNOWN.codes["P0420"].causes:
        assert math.isclose(probability(found, cause.repair), cause.likelihood, abs_tol=0.01)

    assert found.enough


def test_unknown_code_changes_nothing() -> None:
    assert diagnose(KNOWN, Clues(codes=("P3FFF",))) == diagnose(KNOWN, Clues())


@pytest.mark.parametrize(("mileage", "likelier"), [(5_000, False), (45_000, True)])
def test_worn_part_is_likelier_near_its_interval(mileage: int, likelier: bool) -> None:  # noqa: FBT001
    case = Clues(findings=(Finding("brake-squeal", present=True),))
    without = probability(diagnose(KNOWN, case), "brake-pads-front")
    with_mileage = probability(diagnose(KNOWN, evolve(case, mileage=mileage)), "brake-pads-front")

    assert (with_mileage > without) is likelier


@pytest.mark.parametrize(
    ("mileage", "times"),
    [(0, 1 / 8), (5_000, 1 / 8), (15_000, 0.75), (29_999, 2), (30_000, 2), (60_000, 1.5), (300_000, 1.1)],
)
def test_failure_of_a_wear_part_is_likelier_the_nearer_its_interval_and_average_far_beyond(
    mileage: int, times: float
) -> None:
    wear = a_problem(recurrence=Recurrence(miles=30_000, months=60, kind=Wear.WEAR))

    assert mileage_bits(wear, mileage) == pytest.approx(math.log2(times))
    assert mileage_bits(evolve(wear, recurrence=evolve(wear.recurrence, kind=Wear.RANDOM)), mileage) == 0


def test_mileage_bits_is_zero_for_random_failures() -> None:
    case = evolve(Clues(findings=(Finding("abs-light", present=True),)), mileage=300_000)
    best = next(one for one in diagnose(KNOWN, case).candidates if one.problem.slug == "abs-module")

    assert not any("miles" in reason.text for reason in best.reasons)


def two_repairs() -> Knowledge:
    recurrence = Recurrence(miles=50_000, months=60, kind=Wear.RANDOM)
    return Knowledge(
        [
            a_problem(
                id=1, slug="one", symptoms=(Symptom(slug="a", share=0.9),), recurrence=recurrence, fits=Fits()
            ),
            a_problem(
                id=2, slug="two", symptoms=(Symptom(slug="b", share=0.9),), recurrence=recurrence, fits=Fits()
            ),
        ],
        evolve(NO_VOCABULARY, symptoms={"a": "A", "b": "B"}),
    )


def test_diagnose_breaks_ties_by_id_and_slug() -> None:
    known = two_repairs()

    assert [one.problem.id for one in diagnose(known, Clues()).candidates] == [1, 2]
    question = next_question(known, Clues())

    assert question is not None
    assert (question.id, question.text) == ("a", "Do you notice this: A?")


def test_diagnose_is_sure_after_a_decisive_answer() -> None:
    known = two_repairs()
    case = Clues(findings=(Finding("a", present=True),))
    found = diagnose(known, case)

    assert found.enough
    assert found.candidates[0].probability > SURE
    assert next_question(known, case) is None
    [reason] = found.candidates[0].reasons

    assert reason.text == "A: 90% of the vehicles that need this show it."
    assert reason.weight > 0


def test_answer_of_no_lowers_a_repair() -> None:
    found = diagnose(two_repairs(), Clues(findings=(Finding("a", present=False),)))

    assert [one.problem.slug for one in found.candidates] == ["two", "one"]
    assert found.candidates[1].reasons[0].weight < 0


def test_empty_book_has_no_candidates() -> None:
    empty = Knowledge([], Vocabulary(symptoms={}, ignored=frozenset(), same={}, misspelled={}, meanings={}))
    found = diagnose(empty, Clues(findings=(Finding("a", present=True),), codes=("P0420",)))

    assert found == Diagnosis(candidates=(), enough=False, entropy=0.0)
    assert next_question(empty, Clues()) is None


def test_makers_code_counts_for_its_make_or_if_unambiguous() -> None:
    def first(code: str, make: str | None) -> str:
        return diagnose(KNOWN, Clues(codes=(code,), make=make)).candidates[0].problem.slug

    default = diagnose(KNOWN, Clues()).candidates[0].problem.slug

    assert first("P1259", "Honda") == first("P1259", None) == "vvt-solenoid"
    assert first("P1259", "Ford") == default
    assert first("C1145", "Ford") == "wheel-speed-sensor"
    assert first("C1145", None) == default  # Ford and Nissan mean different things


def cranking(*others: str) -> Clues:
    """Return clues of an engine that cranks but does not start, with a hint at its battery."""
    present = ("engine-cranks-no-start", *others)
    return Clues(
        findings=tuple(Finding(symptom, present=True) for symptom in present),
        hints=(Hint("battery-replacement", 6.0),),
    )


def test_diagnose_clears_battery_and_starter_of_an_engine_that_cranks() -> None:
    found = diagnose(KNOWN, cranking())

    assert probability(found, "battery-replacement") < 0.05 < probability(found, "fuel-pump")
    assert probability(found, "starter-motor") < 0.01


def test_diagnose_clears_nothing_for_contradictory_symptoms() -> None:
    found = diagnose(KNOWN, cranking("engine-slow-crank"))

    assert probability(found, "battery-replacement") > 0.5


def test_cleared_repairs_are_in_the_book() -> None:
    for symptom, repairs in KNOWN.lexicon.clears.items():
        assert symptom in KNOWN.symptoms
        assert set(repairs) <= set(SLUGS)
