"""The reasons for and against repairs, with their weights in bits, of a book with a few repairs."""

import math
from typing import Any, Final

import pytest
from attrs import evolve

from repaircore.book.model import Fits, Recurrence, Safety, Symptom, Urgency, Wear
from repaircore.book.vocabulary import NO_VOCABULARY
from repaircore.complaints.lexicon import Lexicon
from repaircore.diagnosis.engine import SIMILAR_WORDS, chances, diagnose
from repaircore.diagnosis.knowledge import LEAK, Knowledge, mention_chance
from repaircore.diagnosis.model import Clues, Finding, Hint
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.testing.builders import a_problem
from repaircore.trouble_codes.model import Cause, TroubleCode
from repaircore.trouble_codes.table import CodeTable
from repaircore.word_model.model import NO_WORDS

NEVER_WORN: Final = Recurrence(miles=50_000, months=60, kind=Wear.RANDOM)
PROBLEMS: Final = tuple(
    a_problem(
        id=number,
        slug=slug,
        symptoms=(Symptom(slug=symptom, share=0.9),),
        recurrence=NEVER_WORN,
        fits=Fits(powertrains=frozenset({Powertrain.DIESEL})) if slug == "glow-plugs" else Fits(),
    )
    for number, (slug, symptom) in enumerate(
        [
            ("battery", "no-start"),
            ("alternator", "battery-light"),
            ("gas-cap", "engine-light"),
            ("glow-plugs", "hard-start"),
            ("converter", "smell"),
        ],
        1,
    )
)
LEXICON: Final = Lexicon(
    whole=frozenset({"smell"}),
    rules_out={"no-start": ("cranks",)},
    clears={"cranks": ("battery", "unknown")},
    confirm_first={"engine-light": ("converter", "unknown")},
    check_first={"smell": ("gas-cap", "unknown")},
)
DIESEL: Final = Traits(powertrain=Powertrain.DIESEL)
THERE: Final = math.log2(mention_chance(0.9) / LEAK)
MISSING: Final = math.log2((1 - mention_chance(0.9)) / (1 - LEAK))


def code(name: str, *causes: tuple[str, float], **fields: Any) -> TroubleCode:
    return TroubleCode(
        **{
            "code": name,
            "title": "Title",
            "meaning": "Meaning.",
            "causes": tuple(Cause(repair=repair, likelihood=share) for repair, share in causes),
            "system": "engine",
            "urgency": Urgency.SOON,
            "safe_to_drive": Safety.YES,
            **fields,
        }
    )


def known(*codes: TroubleCode, by_maker: tuple[TroubleCode, ...] = ()) -> Knowledge:
    return Knowledge(PROBLEMS, NO_VOCABULARY, CodeTable(codes, by_maker), LEXICON)


def weights(knowledge: Knowledge, clues: Clues) -> dict[str, list[float]]:
    """Return the weights of the reasons of each repair that has any, in their order."""
    return {
        one.problem.slug: [reason.weight for reason in one.reasons]
        for one in diagnose(knowledge, clues).candidates
        if one.reasons
    }


def present(*symptoms: str, **fields: Any) -> Clues:
    """Return the clues of symptoms on a gasoline car."""
    return Clues(
        findings=tuple(Finding(symptom, present=True) for symptom in symptoms),
        **{"traits": Traits(powertrain=Powertrain.GAS), **fields},
    )


def absent(symptom: str, **fields: Any) -> Clues:
    return evolve(present(**fields), findings=(Finding(symptom, present=False),))


@pytest.mark.parametrize(
    ("clues", "expected"),
    [
        (present("no-start"), {"battery": [THERE]}),
        (present("no-start", trust=0.5), {"battery": [THERE]}),
        (present("no-start", trust=0.5, from_text=frozenset({"no-start"})), {"battery": [0.5 * THERE + 1]}),
        (
            present("smell", trust=0.5, from_text=frozenset({"smell"})),
            {"converter": [THERE + 3], "gas-cap": [6.0]},
        ),
        (present("smell"), {"converter": [THERE], "gas-cap": [6.0]}),
        (absent("no-start"), {"battery": [0.8 * MISSING]}),
        (absent("no-start", trust=0.5, from_text=frozenset({"no-start"})), {"battery": [0.5 * MISSING]}),
        (absent("smell"), {"converter": [0.8 * MISSING]}),
        (absent("engine-light"), {"gas-cap": [0.8 * MISSING]}),
        (present("engine-light"), {"gas-cap": [THERE], "converter": [-2.5]}),
        (present("cranks"), {"battery": [-5.0]}),
        (absent("cranks"), {}),
        (present("cranks", "no-start"), {"battery": [-5.0, THERE]}),
        (present("nothing-known"), {}),
    ],
)
def test_symptom_speaks_for_the_repairs_that_explain_it(
    clues: Clues, expected: dict[str, list[float]]
) -> None:
    found = weights(known(), clues)

    assert found == {slug: pytest.approx(each) for slug, each in expected.items()}


def test_contradictory_symptoms_clear_nothing() -> None:
    lexicon = evolve(LEXICON, rules_out={"cranks": ("no-start",)})
    knowledge = Knowledge(PROBLEMS, NO_VOCABULARY, (), lexicon)

    assert weights(knowledge, present("cranks", "no-start")) == {"battery": [pytest.approx(THERE)]}
    assert weights(knowledge, present("cranks", "smell"))["battery"] == [-5.0]


HINTS: Final = (Hint("battery", 4.0), Hint("unknown", 9.0))


@pytest.mark.parametrize(
    ("answers", "left"), [(0, 1.0), (1, 0.9), (2, 0.81), (4, 0.9**4), (5, 0.9**5), (6, 0.9**5)]
)
def test_each_answer_reduces_the_weight_of_the_words_up_to_five(answers: int, left: float) -> None:
    names = [f"symptom-{number}" for number in range(answers)]

    assert weights(known(), present(*names, hints=HINTS)) == {"battery": [pytest.approx(4 * left)]}
    read = present(*names, hints=HINTS, from_text=frozenset(names))
    assert weights(known(), read) == {"battery": [pytest.approx(4)]}


CATALYST: Final = code("P0420", ("converter", 0.5), ("gas-cap", 0.2), costly=("converter", "unknown"))


def hinted(clues: Clues, *codes: TroubleCode) -> dict[str, float]:
    return {
        one.problem.slug: reason.weight
        for one in diagnose(known(*codes), clues).candidates
        for reason in one.reasons
        if reason.text == SIMILAR_WORDS
    }


def test_words_beside_a_code_say_less_and_no_more_for_its_costly_repair() -> None:
    clues = present(hints=(Hint("converter", 5.0), Hint("gas-cap", 2.0), Hint("battery", 0.5)))
    beside = evolve(clues, codes=("P0420",))

    assert hinted(clues, CATALYST) == {"converter": 5.0, "gas-cap": 2.0, "battery": 0.5}
    assert hinted(beside) == {"converter": 5.0, "gas-cap": 2.0, "battery": 0.5}
    assert hinted(beside, CATALYST) == pytest.approx({"converter": 1.2, "gas-cap": 1.2, "battery": 0.3})
    assert hinted(beside, evolve(CATALYST, costly=())) == pytest.approx(
        {"converter": 3.0, "gas-cap": 1.2, "battery": 0.3}
    )
    assert hinted(beside, evolve(CATALYST, causes=())) == {"converter": 5.0, "gas-cap": 2.0, "battery": 0.5}


def test_words_against_a_repair_count_in_full_beside_a_code() -> None:
    clues = present(hints=(Hint("converter", 5.0), Hint("battery", -4.0)), codes=("P0420",))

    assert hinted(clues, CATALYST) == {"battery": -4.0, "converter": 0.0}


def test_code_gives_its_causes_their_shares() -> None:
    found = chances(known(CATALYST), Clues(codes=("P0420", "P0420"), traits=DIESEL))

    assert found[4] == pytest.approx(0.5)
    assert found[2] == pytest.approx(0.2)


def texts(knowledge: Knowledge, slug: str, clues: Clues) -> list[str]:
    (one,) = [one for one in diagnose(knowledge, clues).candidates if one.problem.slug == slug]
    return [reason.text for reason in one.reasons]


def test_code_of_makers_counts_for_them_or_if_it_is_the_only_meaning() -> None:
    ford = code("P1259", ("battery", 0.5), makes=("Ford",))
    honda = code("P1259", ("alternator", 0.5), makes=("Honda",))
    usual = code("P1259", ("gas-cap", 0.5))
    own = "Code P1259 (Title): 50% of the vehicles that store it need this."
    some = "Code P1259 (Title, as some makers use it): 50% of the vehicles that store it need this."
    unknown, of_ford = present(codes=("P1259",)), present(codes=("P1259",), make="Ford")

    assert texts(known(by_maker=(ford,)), "battery", unknown) == [some]
    assert texts(known(by_maker=(ford, honda)), "battery", unknown) == []
    assert texts(known(by_maker=(ford, honda)), "battery", of_ford) == [own]
    assert texts(known(by_maker=(ford, honda)), "alternator", of_ford) == []
    assert texts(known(usual, by_maker=(ford,)), "gas-cap", unknown) == [own]
    assert texts(known(usual, by_maker=(ford,)), "battery", unknown) == [some]
    assert texts(known(usual, by_maker=(ford,)), "gas-cap", of_ford) == []
    same = evolve(usual, makes=("Ford",))
    assert texts(known(usual, by_maker=(same,)), "gas-cap", unknown) == [own]
    assert texts(known(by_maker=(ford,)), "battery", present(codes=("P1259",), make="Kia")) == []


def test_caution_of_a_code_comes_first_and_weighs_nothing() -> None:
    careful = evolve(CATALYST, caution="Measure first.")
    found = diagnose(known(careful), present("smell", codes=("P0420",))).candidates
    (converter,) = [one for one in found if one.problem.slug == "converter"]

    assert [(reason.text, reason.weight) for reason in converter.reasons if reason.is_caution] == [
        ("Measure first.", 0.0)
    ]
    assert converter.reasons[0].is_caution
    assert not any(reason.is_caution for one in found for reason in one.reasons if one is not converter)
    plain = diagnose(known(CATALYST), present(codes=("P0420",))).candidates
    assert not any(reason.is_caution for one in plain for reason in one.reasons)


def test_first_check_of_a_code_is_close_behind_its_costly_repair() -> None:
    ordered = evolve(CATALYST, check_first=("battery", "unknown"))
    knowledge = known(ordered)

    def behind(clues: Clues) -> float:
        found = chances(knowledge, clues)
        return math.log2(found[4] / found[0])

    assert behind(present("other", codes=("P0420",))) == pytest.approx(1.5)
    assert behind(present(codes=("P0420",))) > 1.5
    assert behind(absent("other", codes=("P0420",))) > 1.5
    assert behind(present("no-start", codes=("P0420",))) < 1.5
    dear = known(evolve(ordered, costly=("alternator", "converter")))
    found = chances(dear, present("other", codes=("P0420",)))
    assert math.log2(found[4] / found[0]) == pytest.approx(1.5)
    text = "Checked first because it costs little: code P0420 (Title)."
    assert text in texts(knowledge, "battery", present("other", codes=("P0420",)))
    assert text not in texts(knowledge, "battery", present("no-start", codes=("P0420",)))
    alone = known(evolve(ordered, costly=("unknown",)))
    assert text not in texts(alone, "battery", present("other", codes=("P0420",)))


@pytest.mark.parametrize(
    ("clues", "weight"),
    [
        (Clues(), [-4.0]),
        (Clues(hints=HINTS), [-4.0]),
        (Clues(traits=DIESEL), None),
        (Clues(traits=DIESEL, hints=HINTS), [2.0]),
        (Clues(findings=(Finding("hard-start", present=True),)), [THERE]),
        (Clues(findings=(Finding("no-start", present=True),)), [-4.0]),
        (Clues(findings=(Finding("other", present=True),)), [-4.0]),
        (Clues(findings=(Finding("hard-start", present=False),)), [-4.0, 0.8 * MISSING]),
        (Clues(codes=("P0420",)), [-4.0]),
    ],
)
def test_repair_of_diesels_needs_a_sign_of_one(clues: Clues, weight: list[float] | None) -> None:
    found = weights(known(CATALYST), clues).get("glow-plugs")

    assert found == (None if weight is None else pytest.approx(sorted(weight, key=lambda one: -abs(one))))


def test_code_of_diesels_alone_is_a_sign_of_one() -> None:
    glow, both = code("P0380", ("glow-plugs", 0.9)), code("P0381", ("glow-plugs", 0.5), ("battery", 0.3))

    assert -4.0 not in weights(known(glow), Clues(codes=("P0380",)))["glow-plugs"]
    assert -4.0 in weights(known(both), Clues(codes=("P0381",)))["glow-plugs"]
    assert -4.0 in weights(known(code("P0382")), Clues(codes=("P0382",)))["glow-plugs"]


def test_repairs_that_do_not_fit_or_are_excluded_are_left_out() -> None:
    def slugs(clues: Clues) -> list[str]:
        return [one.problem.slug for one in diagnose(known(), clues).candidates]

    assert slugs(present()) == ["battery", "alternator", "gas-cap", "converter"]
    assert slugs(present(excluded=frozenset({"battery", "unknown"}))) == [
        "alternator",
        "gas-cap",
        "converter",
    ]
    assert len(slugs(Clues())) == 5


@pytest.mark.parametrize(
    ("bits", "is_enough"),
    [
        # One of four repairs with 4 bits more has 16 of 19 parts; with 2 bits, no reason is strong.
        (4.0, True),
        (3.99, False),
    ],
)
def test_strong_reason_for_a_likely_repair_is_enough(bits: float, *, is_enough: bool) -> None:
    assert diagnose(known(), present(hints=(Hint("battery", bits),))).enough is is_enough


def test_weak_reason_beside_a_strong_one_changes_nothing() -> None:
    assert diagnose(known(), present(hints=(Hint("battery", 4.0), Hint("alternator", 1.0)))).enough


def test_overwhelming_evidence_is_a_certainty() -> None:
    found = chances(known(), present(hints=(Hint("battery", 2000.0),)))

    assert found[0] == 1.0
    assert found[1] == 0.0
    against = chances(known(), present(hints=(Hint("battery", -2000.0),)))
    assert against[0] == 0.0
    assert against[1] == pytest.approx(1 / 3)


def test_first_three_repairs_are_together_likely_enough() -> None:
    problems = tuple(
        a_problem(id=number, slug=f"repair-{number}", symptoms=(), recurrence=NEVER_WORN, fits=Fits())
        for number in range(1, 1001)
    )
    many = Knowledge(problems, NO_VOCABULARY)

    def enough(*bits: float) -> bool:
        hints = tuple(Hint(f"repair-{number}", each) for number, each in enumerate(bits, 1))
        return diagnose(many, Clues(hints=hints)).enough

    # Parts of the whole: 2 ** bits of a repair, of about 1,000 in all for the others.
    assert enough(10.4)
    assert not enough(10.0)
    assert not enough(8.5, 8.5, 8.0)
    assert enough(9.0, 9.0, 8.5)


def test_confidence_is_calibrated_for_words_without_codes() -> None:
    model = evolve(NO_WORDS, stated=((0.0, 0.2), (1.0, 0.6)))
    knowledge = Knowledge(PROBLEMS, NO_VOCABULARY, (CATALYST,), word_model=model)

    def stated(clues: Clues) -> float | None:
        return diagnose(knowledge, clues).candidates[0].stated

    found = diagnose(knowledge, present(hints=HINTS)).candidates[0]
    assert found.stated == pytest.approx(0.2 + 0.4 * found.probability)
    assert stated(present()) is None
    assert stated(present(hints=HINTS, codes=("P0420",))) is None
    assert stated(present(codes=("P0420",))) is None


def test_reasons_are_sorted_by_weight_then_text() -> None:
    clues = present(
        "no-start", "cranks", hints=(Hint("battery", -5.0),), from_text=frozenset({"no-start", "cranks"})
    )

    assert weights(known(), clues)["battery"] == pytest.approx([THERE + 1, -5.0, -5.0])
    assert texts(known(), "battery", clues)[1:] == [SIMILAR_WORDS, "This part works, as shown by: cranks."]


def test_mileage_speaks_for_or_against_wear_parts() -> None:
    wear = tuple(evolve(one, recurrence=evolve(NEVER_WORN, kind=Wear.WEAR)) for one in PROBLEMS[:1])
    knowledge = Knowledge((*wear, *PROBLEMS[1:]), NO_VOCABULARY)

    assert texts(knowledge, "battery", present(mileage=49_999)) == [
        "At 49,999 miles this is needed more often than average."
    ]
    assert texts(knowledge, "battery", present(mileage=5_000)) == [
        "At 5,000 miles this is needed less often than average."
    ]
    assert texts(knowledge, "alternator", present(mileage=5_000)) == []
    assert texts(knowledge, "battery", present()) == []


def test_entropy_is_that_of_the_probabilities() -> None:
    assert diagnose(known(), present()).entropy == pytest.approx(2.0)
    assert diagnose(known(), present(excluded=frozenset({"battery", "alternator"}))).entropy == pytest.approx(
        1.0
    )
