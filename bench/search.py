"""P10: search with a typing error over 50,000 problems; and what share of everyday phrases is not found.

Run from the root of the repository: ``python -m bench search``.
"""

import csv
import random
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import cycle
from pathlib import Path

from attrs import evolve
from rapidfuzz import fuzz, process

from bench.table import Row, exactly, interleaved, ratio_of, tell
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.book.model import Problem
from repaircore.problems.search import ProblemIndex
from repaircore.testing.builders import a_problem

_PHRASES = Path(__file__).parents[1] / "tests" / "data"
_LISTS: Mapping[str, float | None] = {
    "everyday_phrases": 0.08,
    "everyday_phrases_held_out": 0.08,
    "everyday_sentences": None,
    "everyday_sentences_held_out": None,
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BEGINNINGS = (*"bcdfghjklmnprstvwz", "br", "cl", "dr", "fl", "gr", "pl", "pr", "st", "tr", "sk")
_VOWELS = (*"aeiou", "ai", "ee", "ou")
_ENDINGS = (*"rnltsxp", "ck", "nt", "ng", "rd")
_SIDES = ("Front", "Rear", "Left", "Right", "Upper", "Lower", "Inner", "Outer")
_JOBS = ("Replacement", "Repair", "Service", "Adjustment", "Cleaning", "Rebuild")
_SHORTEST_MISTYPED = 4


def _word(dice: random.Random) -> str:
    syllables = [dice.choice(_BEGINNINGS) + dice.choice(_VOWELS) for _ in range(dice.randint(1, 3))]
    return "".join([*syllables, dice.choice(_ENDINGS)]).capitalize()


def made_up(dice: random.Random, number: int) -> list[Problem]:
    """Make problems with names of five words: some of the book's, some that nobody has heard of."""
    words = sorted({_word(dice) for _ in range(4000)})
    real = sorted({word for problem in book().problems for word in problem.name.split() if word.isalpha()})
    names: set[str] = set()
    while len(names) < number:
        parts = (_SIDES, words, words, real, _JOBS)
        names.add(" ".join(dice.choice(part) for part in parts))
    ordinary = a_problem(keywords=(), symptoms=(), parts=(), description="Made up.")
    return [
        evolve(ordinary, id=at + 1, slug=name.lower().replace(" ", "-"), name=name)
        for at, name in enumerate(sorted(names))
    ]


def mistyped(dice: random.Random, name: str) -> str:
    """Make one typing error in one of the words: a letter left out, put in, wrong, or two changed places."""
    words = name.lower().split()
    at = dice.choice([at for at, word in enumerate(words) if len(word) >= _SHORTEST_MISTYPED])
    word, letter = words[at], dice.choice(_LETTERS)
    i = dice.randrange(1, len(word))
    words[at] = dice.choice(
        (
            word[:i] + word[i + 1 :],
            word[:i] + letter + word[i:],
            word[:i] + letter + word[i + 1 :],
            word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
        )
    )
    return " ".join(words)


def _missed(found: Sequence[Sequence[int]], wanted: Sequence[int]) -> float:
    return sum(one not in among for among, one in zip(found, wanted, strict=True)) / len(wanted)


def _typing_errors(*, size: int, queries: int) -> list[Row]:
    dice = random.Random(5)  # noqa: S311 - a simulation
    tell(f"search: making {size:,} problems up")
    problems = made_up(dice, size)
    index = ProblemIndex(problems, vocabulary())
    names = [problem.name.lower() for problem in problems]
    wanted = [dice.randrange(size) for _ in range(queries)]
    typed = [mistyped(dice, problems[at].name) for at in wanted]

    def ours(text: str) -> list[int]:
        return [one.problem.id - 1 for one in index.search(text, limit=10, as_typed=True)]

    def theirs(text: str, scorer: object = fuzz.WRatio) -> list[int]:
        return [at for _, _, at in process.extract(text, names, scorer=scorer, limit=10)]  # type: ignore[arg-type]

    tell("search: searching")
    mine, whole, sorted_ = cycle(typed), cycle(typed), cycle(typed)
    a, b, c = interleaved(
        lambda: ours(next(mine)),
        lambda: theirs(next(whole)),
        lambda: theirs(next(sorted_), fuzz.token_sort_ratio),
        rounds=20,
        times=5,
    )
    missed = _missed([ours(text) for text in typed], wanted)
    missed_by_rapidfuzz = _missed([theirs(text) for text in typed[:100]], wanted[:100])
    what = f"P10 search with a typing error over {size:,} problems"
    return [
        Row(what, "rapidfuzz over all rows (WRatio)", ratio_of(a, b), 1 / 20),
        Row(what, "rapidfuzz over all rows (token_sort_ratio)", ratio_of(a, c)),
        Row("P10 the problem that was meant is not among the first 10", "searches", exactly(missed), 0.02),
        Row("P10 the same, rapidfuzz (WRatio)", "searches", exactly(missed_by_rapidfuzz)),
    ]


def missed_phrases(name: str, first: int) -> float:
    """Give the share of a list of phrases whose repair is not among the first so many found."""
    index = ProblemIndex(book().problems, vocabulary())
    with (_PHRASES / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        phrases = [(row["phrase"], row["slug"]) for row in csv.DictReader(file)]
    found = [
        [one.problem.slug for one in index.search(phrase, limit=10, as_typed=True)][:first]
        for phrase, _ in phrases
    ]
    return sum(slug not in slugs for slugs, (_, slug) in zip(found, phrases, strict=True)) / len(phrases)


def missed_queries(half: int, first: int) -> float:
    """Give the share of a half of the queries of strangers without a right repair among the first so many found.

    Queries with a trouble code are left out: the table of codes answers these.
    """
    index = ProblemIndex(book().problems, vocabulary())
    with (_PHRASES / "search_queries.csv").open(newline="", encoding="utf-8") as file:
        queries = [
            (row["query"], set(row["slugs"].split()))
            for row in csv.DictReader(file)
            if row["kind"] != "code" and sha256(row["query"].encode()).digest()[0] % 2 == half
        ]
    found = [index.search(query, limit=first, as_typed=True) for query, _ in queries]
    right = sum(
        any(one.problem.slug in slugs for one in some)
        for some, (_, slugs) in zip(found, queries, strict=True)
    )
    return 1 - right / len(queries)


def rows(*, size: int = 50_000, queries: int = 500) -> list[Row]:
    table = _typing_errors(size=size, queries=queries)
    for name, goal in _LISTS.items():
        for first, aim in ((1, None), (3, goal)):
            what = f"{name.replace('_', ' ')}: not among the first {first}"
            table.append(Row(what, "all of them", exactly(missed_phrases(name, first)), aim))
    for half, what in ((1, "tuned on"), (0, "held out")):
        for first in (1, 3):
            name = f"queries as strangers type them, {what}: not among the first {first}"
            table.append(Row(name, "all of them", exactly(missed_queries(half, first))))
    return table
