"""Diagnoses of what strangers wrote: how often the right repair comes first, beside BM25 and TF-IDF over the same book.

The labels stand in tests/data: of questions at mechanics.stackexchange.com (their numbers and the right repairs, none of
their text), and of short searches. Each list has a half to tune on and one to report, which nothing was tuned on. The
texts of the questions are read from the file that ``REPAIRCORE_BENCH_COMPLAINTS`` names: gzipped JSON, a line each with
``id``, ``question`` and ``text``.
"""

import csv
import gzip
import html
import json
import math
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Final

from attrs import evolve, frozen

from bench.retrieval import Bm25, TfIdf, book_texts
from bench.table import Row, exactly
from repaircore.adapters.shipped.complaints import complaints
from repaircore.complaints.topics import chosen
from repaircore.diagnosis.danger import driver_safety
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import LEAK, Knowledge
from repaircore.diagnosis.model import Clues, Diagnosis, Finding, SymptomQuestion
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import ReadComplaint, read
from repaircore.kernel.traits import Traits

TEXTS: Final = "REPAIRCORE_BENCH_COMPLAINTS"
_DATA: Final = Path(__file__).parents[1] / "tests" / "data"
_FIRST: Final = 3
_LENGTHS: Final = ((0, 300, "short (to 300 characters)"), (300, 700, "middle (to 700)"), (700, 10**6, "long"))
_MOST_QUESTIONS: Final = 8
_DRAWS: Final = 10
_AT_A_COUNTER: Final = 5
"""The most questions that somebody at a counter is asked."""

_SURELY_THERE: Final = 0.5
_SURELY_NOT: Final = 0.05
"""What the labeled repairs show this often, on average, or this seldom is answered where the text is silent."""

_UNSURE: Final = 0.15
"""How often who is asked does not know."""

_Z: Final = 1.96


@frozen(kw_only=True)
class Labeled:
    """A text, its half, the repairs that are right, and the dangers that it tells of, surely or perhaps.

    ``title`` is what somebody would say first at a counter.
    """

    text: str
    title: str = ""
    half: str
    repairs: frozenset[str]
    dangers: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()


def labeled(path: Path) -> list[Labeled]:
    """Return the labeled questions, with their texts from a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        posts = {one["id"]: one for one in map(json.loads, file)}
    return [
        Labeled(
            text=html.unescape(f"{posts[row['id']]['question']}. {posts[row['id']]['text']}"),
            title=html.unescape(posts[row["id"]]["question"]),
            half=row["half"],
            repairs=frozenset(row["repairs"].split()),
            dangers=frozenset(row["dangers"].split()),
            perhaps=frozenset(row["perhaps"].split()),
        )
        for row in _lines("diagnostic_labels")
    ]


def short_searches() -> list[Labeled]:
    """Return the short searches."""
    return [
        Labeled(text=row["text"], half=row["half"], repairs=frozenset(row["repairs"].split()))
        for row in _lines("diagnostic_short_searches")
    ]


def own_complaints(language: str) -> list[Labeled]:
    """Return the complaints that were written and labeled here before the engine's answers were looked at."""
    return [
        Labeled(
            text=row["text"],
            half=row["half"],
            repairs=frozenset(row["repairs"].split()),
            dangers=frozenset(row["dangers"].split()),
            perhaps=frozenset(row["perhaps"].split()),
        )
        for row in _lines("diagnostic_complaints")
        if row["language"] == language
    ]


def _lines(name: str) -> Iterator[dict[str, str]]:
    with (_DATA / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def interval(right: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if not whole:
        return 0.0, 1.0
    share = right / whole
    middle = share + _Z**2 / (2 * whole)
    spread = _Z * math.sqrt(share * (1 - share) / whole + _Z**2 / (4 * whole**2))
    below = 1 + _Z**2 / whole
    return (middle - spread) / below, (middle + spread) / below


Ranker = Callable[[str], Sequence[str]]


def rankers(known: Knowledge, unlearned: Knowledge) -> Mapping[str, Ranker]:
    """Return the ways to rank the repairs for a text, by their names."""
    texts = book_texts(known.problems, known.symptoms)
    bm25, tfidf = Bm25(texts), TfIdf(texts)
    return {
        "diagnosis": lambda text: _ranked(known, text),
        "without learned weights": lambda text: _ranked(unlearned, text),
        "search": lambda text: [one.problem.slug for one in known.index.search(text, limit=_FIRST)],
        "BM25": bm25.ranked,
        "TF-IDF": tfidf.ranked,
    }


def _ranked(known: Knowledge, text: str) -> list[str]:
    return [
        one.problem.slug for one in diagnose(known, read(text, known).clues(Traits())).candidates[:_FIRST]
    ]


def report(
    known: Knowledge, unlearned: Knowledge, *, halves: Sequence[str] = ("tune", "report")
) -> Iterator[str]:
    """Say how well diagnoses do, in lines."""
    path = os.environ.get(TEXTS)
    lists = {"short searches": short_searches()}
    if path is not None:
        lists = {"questions": labeled(Path(path)), **lists}
    ranked = rankers(known, unlearned)
    for half in halves:
        for name, cases in lists.items():
            ours = [one for one in cases if one.half == half]
            yield f"{name}, half: {half}, {len(ours)} texts"
            if name == "questions":
                yield from summary(ours, ours, known, ranked)
            else:
                yield from _ranking(ours, ranked)
                yield from _questions(ours, known)
        for name, language in (("complaints written here", "en"), ("in Spanish", "es")):
            ours = [one for one in own_complaints(language) if one.half == half]
            yield f"{name}, half: {half}, {len(ours)} texts"
            yield from _ranking(ours, ranked)
            yield from _dangers(ours, known)
    yield from _own_dangers(known, halves)
    yield from _ordinary(known)


def summary(
    labeled: Sequence[Labeled], cases: Sequence[Labeled], known: Knowledge, ranked: Mapping[str, Ranker]
) -> Iterator[str]:
    """Say how well texts are diagnosed; the dangers count in all ``cases``, the repairs in those that are labeled with one."""
    yield from _ranking(labeled, ranked)
    yield from _by_length(labeled, ranked)
    yield from _reliability(labeled, known)
    yield from _dangers(cases, known)
    yield from _questions(labeled, known)
    yield from _counter(labeled, known)


def _own_dangers(known: Knowledge, halves: Sequence[str]) -> Iterator[str]:
    """Say how well the sentences on dangers that were written here are distinguished from the harmless ones."""
    for name, half in product(("danger_sentences", "danger_stories"), halves):
        lines = [one for one in _lines(name) if one["half"] == half]
        found = [(frozenset(one["dangers"].split()), warned(read(one["text"], known))) for one in lines]
        real, met = (
            sum(len(dangers) for dangers, _ in found),
            sum(len(dangers & reported) for dangers, reported in found),
        )
        false = [bool(reported) for dangers, reported in found if not dangers]
        yield (
            f"{name.replace('_', ' ')}, half: {half}: reported that are real {share(met, real)}; "
            f"harmless ones warned of {share(sum(false), len(false))}"
        )


def _ranking(cases: Sequence[Labeled], rankers: Mapping[str, Ranker]) -> Iterator[str]:
    for name, rank in rankers.items():
        ranked = [(one, list(rank(one.text))[:_FIRST]) for one in cases]
        first = sum(bool(one.repairs.intersection(found[:1])) for one, found in ranked)
        three = sum(bool(one.repairs.intersection(found)) for one, found in ranked)
        yield f"  {name:24} first {share(first, len(cases))}   first three {share(three, len(cases))}"


def _by_length(cases: Sequence[Labeled], rankers: Mapping[str, Ranker]) -> Iterator[str]:
    for least, most, name in _LENGTHS:
        some = [one for one in cases if least <= len(one.text) < most]
        if some:
            yield f"  {name}, {len(some)} texts"
            yield from (f"  {line}" for line in _ranking(some, rankers))


def share(right: int, whole: int) -> str:
    """Return a count, its share of the whole, and the interval of that."""
    low, high = interval(right, whole)
    return f"{right:3}/{whole:<3} {right / max(1, whole):6.1%} ({low:.0%}-{high:.0%})"


def _reliability(cases: Iterable[Labeled], known: Knowledge) -> Iterator[str]:
    """Say, for fifths of what is stated of each of the first three, how often they were right."""
    return fifths(
        (candidate.confidence / 100, candidate.problem.slug in one.repairs)
        for one in cases
        for candidate in diagnose(known, read(one.text, known).clues(Traits())).candidates[:_FIRST]
    )


def fifths(stated: Iterable[tuple[float, bool]]) -> Iterator[str]:
    """Say how often what was stated was right, in fifths of what was stated."""
    listed: list[list[tuple[float, bool]]] = [[] for _ in range(5)]
    for one in stated:
        listed[min(4, int(5 * one[0]))].append(one)
    for number, reported in enumerate(listed):
        if reported:
            mean = sum(chance for chance, _ in reported) / len(reported)
            right = sum(was for _, was in reported)
            yield f"  stated {number * 20:3}-{number * 20 + 20}%: on average {mean:.1%}, right {share(right, len(reported))}"


def _dangers(cases: Sequence[Labeled], known: Knowledge) -> Iterator[str]:
    reported_of = [(one, warned(read(one.text, known))) for one in cases]
    real = sum(len(one.dangers) for one in cases)
    met = sum(len(one.dangers & reported) for one, reported in reported_of)
    false = sum(bool(reported - one.dangers - one.perhaps) for one, reported in reported_of)
    yield f"  dangers reported that are real: {share(met, real)}; texts with a false one: {share(false, len(cases))}"


def warned(understood: ReadComplaint) -> frozenset[str]:
    """Return the dangers that a text is warned of."""
    safety = driver_safety((), understood.dangers)
    return frozenset(one.danger.value for one in safety.warnings)


def _questions(cases: Sequence[Labeled], known: Knowledge) -> Iterator[str]:
    """Say what questions bring; an answer is drawn with the book's share for a repair that is right.

    Over 100 texts a single draw of the answers moves the figure by three or four of them: it is the mean of some.
    """
    clues = [read(one.text, known).clues(Traits()) for one in cases]
    before = sum(_has(diagnose(known, each), one) for each, one in zip(clues, cases, strict=True))
    after, asked = [], 0
    for draw in range(_DRAWS):
        dice = random.Random(18 + draw)  # noqa: S311 - a simulation
        interviews = [_interviewed(each, one, known, dice) for each, one in zip(clues, cases, strict=True)]
        after.append(
            sum(
                _has(diagnose(known, reported), one)
                for (reported, _), one in zip(interviews, cases, strict=True)
            )
        )
        asked += sum(number for _, number in interviews)
    whole = len(cases)
    yield (
        f"  among the first three before questions {share(before, whole)}, after {share(round(mean(after)), whole)}: "
        f"the mean of {_DRAWS} draws ({min(after)} to {max(after)}); {asked / max(1, whole * _DRAWS):.1f} asked"
    )


def _interviewed(clues: Clues, case: Labeled, known: Knowledge, dice: random.Random) -> tuple[Clues, int]:
    right = known.problems[known.numbers[dice.choice(sorted(case.repairs))]]
    shares = {symptom.slug: symptom.share for symptom in right.symptoms}
    asked: set[str] = set()
    for number in range(_MOST_QUESTIONS):
        question = next_question(known, clues, asked, opens=False)
        if question is None:
            return clues, number
        asked.add(question.id)
        if dice.random() >= _UNSURE:
            present = dice.random() < 1 - (1 - shares.get(question.id, 0.0)) * (1 - LEAK)
            clues = evolve(clues, findings=(*clues.findings, Finding(question.id, present)))
    return clues, _MOST_QUESTIONS


def _counter(cases: Sequence[Labeled], known: Knowledge) -> Iterator[str]:
    """Say what questions bring at a counter: the title alone is known, and the whole post answers the questions."""
    before = after = asked = whole_text = 0
    for case in cases:
        clues = read(case.title, known).clues(Traits())
        before += _has(diagnose(known, clues), case)
        reported, number = _served(clues, case, known)
        after += _has(diagnose(known, reported), case)
        asked += number
        whole_text += _has(diagnose(known, read(case.text, known).clues(Traits())), case)
    whole = len(cases)
    yield (
        f"  at a counter: among the first three by the title {share(before, whole)}, after at most {_AT_A_COUNTER} questions "
        f"{share(after, whole)}; {asked / max(1, whole):.1f} asked; by the whole text {share(whole_text, whole)}"
    )


def _served(clues: Clues, case: Labeled, known: Knowledge) -> tuple[Clues, int]:
    said = {each.symptom: each.present for each in read(case.text, known).findings}
    questioned: set[str] = set()
    for number in range(_AT_A_COUNTER):
        question = next_question(known, clues, questioned)
        if question is None:
            return clues, number
        questioned.add(question.id)
        for symptom, present in _answers(question, said, case, known).items():
            clues = evolve(clues, findings=(*clues.findings, Finding(symptom, present)))
    return clues, _AT_A_COUNTER


def _answers(
    question: SymptomQuestion, said: Mapping[str, bool], case: Labeled, known: Knowledge
) -> Mapping[str, bool]:
    """Return what is answered: by the text where it says so, else by the labeled repairs where they leave no doubt."""
    meant = {choice: chosen(choice, question.options) for choice in question.options}
    offered = [symptom for choice in meant.values() for symptom, present in choice.items() if present]
    if not offered:
        answer = _answer(question.id, said, case, known)
        return {} if answer is None else {question.id: answer}
    present = next((symptom for symptom in offered if said.get(symptom)), None)
    if present is None:
        present = next((symptom for symptom in offered if _answer(symptom, said, case, known)), None)
    if present is not None:
        return {present: True}
    if any(_answer(symptom, said, case, known) is None for symptom in offered):
        return {}
    return dict.fromkeys(offered, False)


def _answer(symptom: str, said: Mapping[str, bool], case: Labeled, known: Knowledge) -> bool | None:
    if symptom in said:
        return said[symptom]
    shares = [
        next(
            (each.share for each in known.problems[known.numbers[slug]].symptoms if each.slug == symptom), 0.0
        )
        for slug in case.repairs
    ]
    if mean(shares) >= _SURELY_THERE:
        return True
    return False if max(shares) <= _SURELY_NOT else None


def _has(diagnosis: Diagnosis, case: Labeled) -> bool:
    return any(one.problem.slug in case.repairs for one in diagnosis.candidates[:_FIRST])


def _ordinary(known: Knowledge) -> Iterator[str]:
    """Say how often the held-out complaints that were written for the word model are advised to stop driving."""
    held_out = [one for one in complaints() if one.held_out]
    if held_out:
        stopped = of_real = 0
        for one in held_out:
            understood = read(one.text, known)
            likely = diagnose(known, understood.clues(Traits())).likely
            repairs = ((each.confidence, each.problem.safe_to_drive) for each in likely)
            stop = driver_safety((), understood.dangers, repairs).stop_driving
            stopped += stop
            of_real += stop and bool(one.dangers)
        real = sum(bool(one.dangers) for one in held_out)
        yield (
            f"held-out complaints: advised to stop driving {share(stopped, len(held_out))}; "
            f"without those labeled with a danger {share(stopped - of_real, len(held_out) - real)}"
        )


def missed(known: Knowledge) -> list[Row]:
    """Return the lines of the table: what is missed of the half that is reported."""
    lists = {"short searches": (short_searches(), 0.15)}
    path = os.environ.get(TEXTS)
    if path is not None:
        lists["questions of strangers"] = (labeled(Path(path)), 0.3)
    table = []
    for name, (cases, goal) in lists.items():
        ours = [one for one in cases if one.half == "report"]
        lost = [not one.repairs.intersection(_ranked(known, one.text)) for one in ours]
        what = f"{name}: not among the first {_FIRST}"
        table.append(Row(what, f"all {len(ours)} that are reported", exactly(sum(lost) / len(ours)), goal))
    return table
