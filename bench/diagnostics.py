"""P16, P22: a diagnosis against a pass of rapidfuzz over the book; and how often the right repair comes first.

Run from the root of the repository: ``python -m bench diagnostics``. The answers to questions are simulated: each is
drawn with the share that the book gives the symptom under the right repair.
"""

import csv
import random
import time
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path

from attrs import evolve, frozen
from rapidfuzz import fuzz, process

from bench import strangers
from bench.table import Row, exactly, interleaved, ratio_of, tell
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.complaints import repair_groups, word_model
from repaircore.adapters.shipped.dangers import danger_model
from repaircore.adapters.shipped.vocabulary import lexicon, vocabulary
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import LEAK, Knowledge
from repaircore.diagnosis.model import Clues, Finding
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

_CASES = Path(__file__).parents[1] / "tests" / "data"
_LISTS: Mapping[str, float | None] = {
    "diagnostic_cases": 0.15,
    "diagnostic_cases_held_out": None,
    "diagnostic_cases_second_held_out": None,
}
_FIRST = 3
_MOST_QUESTIONS = 8
_LONG = 1000
_LONG_TEXTS = 10


@frozen(kw_only=True)
class Case:
    """What an owner said, and the repairs that are right."""

    description: str
    codes: tuple[str, ...]
    mileage: int | None
    traits: Traits
    repairs: tuple[str, ...]


def cases(name: str) -> list[Case]:
    """Read a list of described cases."""
    with (_CASES / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return [
            Case(
                description=row["description"],
                codes=tuple(row["codes"].split()),
                mileage=int(row["mileage"]) if row["mileage"] else None,
                traits=Traits(
                    powertrain=Powertrain(row["powertrain"]) if row["powertrain"] else None,
                    drive=Drive(row["drive"]) if row["drive"] else None,
                    body=Body(row["body"]) if row["body"] else None,
                ),
                repairs=tuple(row["repairs"].split()),
            )
            for row in csv.DictReader(file)
        ]


def knowledge() -> Knowledge:
    """Make ready what the shipped book, lexicon and codes say."""
    return Knowledge(
        book().problems,
        vocabulary(),
        code_table(),
        lexicon(),
        groups=repair_groups(),
        word_model=word_model(),
        danger_model=danger_model(),
    )


def unlearned() -> Knowledge:
    """Make ready the same without the learned weights."""
    return Knowledge(book().problems, vocabulary(), code_table(), lexicon())


def clues_of(case: Case, known: Knowledge) -> Clues:
    """Read a case."""
    clues = read(case.description, known).clues(case.traits, case.mileage)
    return evolve(clues, codes=(*case.codes, *clues.codes))


def _is_right(case: Case, clues: Clues, known: Knowledge, first: int) -> bool:
    likeliest = diagnose(known, clues).candidates[:first]
    return any(one.problem.slug in case.repairs for one in likeliest)


def share_right(name: str, known: Knowledge, first: int) -> float:
    """Give the share of a list whose right repair is among the first so many."""
    listed = cases(name)
    return sum(_is_right(case, clues_of(case, known), known, first) for case in listed) / len(listed)


def _interviewed(case: Case, known: Knowledge, dice: random.Random) -> tuple[Clues, int]:
    """Ask until nothing is worth asking, and give what is known then, and how many questions it took."""
    clues = clues_of(case, known)
    right = known.problems[known.numbers[case.repairs[0]]]
    shares = {symptom.slug: symptom.share for symptom in right.symptoms}
    for number in range(_MOST_QUESTIONS):
        question = next_question(known, clues)
        if question is None:
            return clues, number
        share = shares.get(question.id, 0.0)
        present = dice.random() < 1 - (1 - share) * (1 - LEAK)
        clues = evolve(clues, findings=(*clues.findings, Finding(question.id, present)))
    return clues, _MOST_QUESTIONS


def _interviews(name: str, known: Knowledge) -> list[Row]:
    dice = random.Random(16)  # noqa: S311 - a simulation
    listed = cases(name)
    asked = [_interviewed(case, known, dice) for case in listed]
    what = f"{name.replace('_', ' ')}, after questions"
    table = [Row(f"{what}: how many were asked, on average", "cases", exactly(_mean([n for _, n in asked])))]
    for first in (1, _FIRST):
        missed = [
            not _is_right(case, clues, known, first) for case, (clues, _) in zip(listed, asked, strict=True)
        ]
        table.append(Row(f"{what}: not among the first {first}", "all of them", exactly(_mean(missed))))
    return table


def _without_enough(name: str, known: Knowledge) -> list[Row]:
    """Say how often a list is answered that there is not enough information, and how good the other answers are."""
    listed = [(case, clues_of(case, known)) for case in cases(name)]
    answered = [(case, clues) for case, clues in listed if diagnose(known, clues).enough]
    missed = [not _is_right(case, clues, known, _FIRST) for case, clues in answered]
    what = name.replace("_", " ")
    return [
        Row(f"{what}: not enough information", "all of them", exactly(1 - len(answered) / len(listed))),
        Row(f"{what}: not among the first {_FIRST}", "those with enough", exactly(_mean(missed))),
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _speed(known: Knowledge, *, rounds: int) -> list[Row]:
    listed = cases("diagnostic_cases")
    names = dict(vocabulary().symptoms)
    texts = [
        " ".join((one.name, *one.keywords, *(names[symptom.slug] for symptom in one.symptoms))).lower()
        for one in known.problems
    ]
    described, compared, stated = (
        cycle(listed),
        cycle(listed),
        cycle([clues_of(case, known) for case in listed]),
    )

    def whole() -> object:
        clues = clues_of(next(described), known)
        diagnosis = diagnose(known, clues)
        return diagnosis, next_question(known, clues, diagnosis=diagnosis)

    def turn() -> object:
        clues = next(stated)
        diagnosis = diagnose(known, clues)
        return diagnosis, next_question(known, clues, diagnosis=diagnosis)

    def theirs() -> object:
        return process.extract(next(compared).description.lower(), texts, scorer=fuzz.WRatio, limit=10)

    long = cycle(_long_texts(listed))
    compared_long = cycle(_long_texts(listed))

    def whole_long() -> object:
        clues = read(next(long), known).clues(Traits())
        diagnosis = diagnose(known, clues)
        return diagnosis, next_question(known, clues, diagnosis=diagnosis)

    def theirs_long() -> object:
        return process.extract(next(compared_long).lower(), texts, scorer=fuzz.WRatio, limit=10)

    a, b, c = interleaved(whole, turn, theirs, rounds=rounds, times=len(listed), clock=time.process_time)
    d, e = interleaved(whole_long, theirs_long, rounds=rounds, times=_LONG_TEXTS, clock=time.process_time)
    return [
        Row(
            "P16 a description read, diagnosed, and the next question",
            "rapidfuzz over the book (WRatio)",
            ratio_of(a, c),
            3,
        ),
        Row(
            "P16 a turn of a chat: diagnosed, and the next question",
            "rapidfuzz over the book (WRatio)",
            ratio_of(b, c),
            3,
        ),
        Row(
            f"P22 a text of {_LONG:,} characters read, diagnosed, and the next question",
            "rapidfuzz over the book (WRatio), the same text",
            ratio_of(d, e),
            3,
        ),
    ]


def _long_texts(listed: Sequence[Case]) -> list[str]:
    """Return texts of as many characters as P22 names, each of several complaints."""
    whole = ". ".join(case.description for case in listed)
    return [whole[at * _LONG : (at + 1) * _LONG] for at in range(_LONG_TEXTS)]


def rows(*, rounds: int = 10) -> list[Row]:
    known = knowledge()
    tell("diagnostics: diagnosing")
    table = _speed(known, rounds=rounds)
    for name, goal in _LISTS.items():
        for first, aim in ((1, None), (_FIRST, goal)):
            what = f"{name.replace('_', ' ')}: not among the first {first}"
            table.append(Row(what, "all of them", exactly(1 - share_right(name, known, first)), aim))
        table += _without_enough(name, known)
        tell("diagnostics: asking")
        table += _interviews(name, known)
    for line in strangers.report(known, unlearned()):
        tell(line)
    return table + strangers.missed(known)
