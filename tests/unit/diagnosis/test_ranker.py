import csv
from pathlib import Path

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.ranker import ComplaintRanker
from repaircore.problems.search import ProblemIndex

INDEX = ProblemIndex(book().problems, vocabulary())
RANKER = ComplaintRanker(knowledge=shipped_knowledge)
DATA = Path(__file__).parents[2] / "data"
LEAST_FIRST, LEAST_AMONG_THREE = 0.75, 0.94


def best(text: str) -> float:
    hits = INDEX.search(text, limit=1, as_typed=True)
    return hits[0].score if hits else 0.0


def search_slugs(text: str) -> list[str]:
    ranking = RANKER.rank(text, best=best(text))
    hits = INDEX.search(text, limit=3, as_typed=True, lists=[] if ranking is None else [ranking])
    return [hit.problem.slug for hit in hits]


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("brake noise", {"brake-pads-front", "brake-pads-rear", "brake-rotors-front"}),
        ("grinding noise brakes", {"brake-rotors-front", "brake-rotors-rear", "brake-pads-rear"}),
        ("rough idle", {"throttle-body-cleaning", "vacuum-leak-repair", "fuel-injector"}),
    ],
)
def test_search_finds_what_the_diagnosis_suspects(text: str, repairs: set[str]) -> None:
    assert set(search_slugs(text)) == repairs


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("oil leak", "valve-cover-gasket"),
        ("no heat", "thermostat"),
        ("heater not working", "thermostat"),
        ("battery light", "alternator"),
        ("tire pressure light", "tire-flat-repair"),
    ],
)
def test_bare_symptom_finds_its_usual_cause_first(text: str, first: str) -> None:
    assert search_slugs(text)[0] == first


def test_likely_repair_scores_below_a_named_one() -> None:
    ranking = RANKER.rank("lights flickering", best=best("lights flickering"))
    assert ranking is not None
    assert 0 < max(score for _, score in ranking.repairs) <= 0.8


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("front brake pads", id="names a repair"),
        pytest.param("P0420 misfire", id="has a code, which another ranker reads"),
        pytest.param("brake noise xyzzyq", id="is not understood"),
        pytest.param("hello", id="says nothing"),
        pytest.param("", id="is empty"),
    ],
)
def test_other_text_has_no_ranking(text: str) -> None:
    assert RANKER.rank(text, best=best(text)) is None


def test_text_that_names_a_repair_needs_no_knowledge() -> None:
    def knowledge() -> Knowledge:
        raise AssertionError

    assert ComplaintRanker(knowledge=knowledge).rank("alternator", best=best("alternator")) is None


@pytest.mark.parametrize(
    ("file", "half"), [("diagnostic_short_searches.csv", "report"), ("complaint_searches.csv", None)]
)
def test_short_searches_find_their_repairs(file: str, half: str | None) -> None:
    with (DATA / file).open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row.get("half") == half]
    ranks = [
        next(
            (at for at, slug in enumerate(search_slugs(row["text"])) if slug in row["repairs"].split()), None
        )
        for row in rows
    ]
    assert ranks.count(0) >= LEAST_FIRST * len(rows)
    assert len(rows) - ranks.count(None) >= LEAST_AMONG_THREE * len(rows)
