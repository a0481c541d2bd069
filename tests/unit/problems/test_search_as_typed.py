"""Search as you type: unfinished words, Spanish, letters and other rankings of the text."""

import csv
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.problems.fusion import RankedList
from repaircore.problems.search import ProblemIndex
from repaircore.problems.trigrams import TrigramIndex
from repaircore.trouble_codes.ranker import CodeRanker

_REPAIRS = book().problems
_INDEX = ProblemIndex(_REPAIRS, vocabulary())
_TABLE = code_table()
_CODES = CodeRanker(table=lambda: _TABLE)
_QUERIES = Path(__file__).parents[2] / "data" / "search_queries.csv"


def _slugs(text: str, *, limit: int = 3, lists: Sequence[RankedList] = ()) -> list[str]:
    found = _INDEX.search(text, limit=limit, as_typed=True, lists=lists)
    return [one.problem.slug for one in found]


def _with_codes(text: str, *, limit: int = 3) -> list[str]:
    ranked = _CODES.rank(text)
    return _slugs(text, limit=limit, lists=() if ranked is None else (ranked,))


def _half(query: str) -> str:
    """Return the half of the list that a query belongs to; the search was tuned on the first only."""
    return "tuned on" if sha256(query.encode()).digest()[0] % 2 else "held out"


def _shares(half: str) -> tuple[float, float]:
    with _QUERIES.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if _half(row["query"]) == half]
    found = [(set(row["slugs"].split()), _with_codes(row["query"])) for row in rows]
    first = sum(bool(right & set(slugs[:1])) for right, slugs in found)
    three = sum(bool(right & set(slugs)) for right, slugs in found)
    return first / len(rows), three / len(rows)


@pytest.mark.parametrize(("half", "first", "three"), [("tuned on", 0.88, 0.98), ("held out", 0.85, 0.96)])
def test_search_finds_what_other_people_type(half: str, first: float, three: float) -> None:
    shares = _shares(half)

    assert shares[0] >= first
    assert shares[1] >= three


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("squeaky br", "brake-pads-rear"),
        ("timing ch", "timing-chain"),
        ("fuel in", "fuel-injector"),
        ("cabin a", "cabin-air-filter"),
    ],
)
def test_last_word_may_be_unfinished(text: str, slug: str) -> None:
    assert slug in _slugs(text)


def test_search_for_squeaky_br_never_offers_a_belt_first() -> None:
    for text in ("squeaky b", "squeaky br", "squeaky bra", "squeaky brak", "squeaky brake", "squeaky brakes"):
        first = _slugs(text, limit=1)
        if text != "squeaky b":
            assert first[0].startswith("brake-")


def test_space_ends_the_last_word() -> None:
    assert _slugs("timing ch ") != _slugs("timing ch")
    assert _slugs("timing chain ") == _slugs("timing chain")


@pytest.mark.parametrize("text", ["breakpads", "BreakPads", "breakpad", "brakepads", "break pads"])
def test_brake_pads_are_found_however_they_are_spelled(text: str) -> None:
    assert _slugs(text)[0] == "brake-pads-front"


@pytest.mark.parametrize("text", ["the car is", "in", "my", "zz"])
def test_search_finds_nothing_for_a_meaningless_beginning(text: str) -> None:
    assert _slugs(text) == []


@pytest.mark.parametrize(
    ("spanish", "slug"),
    [
        ("cambio de aceite", "oil-change"),
        ("frenos", "brake-pads-front"),
        ("llantas", "tire-replacement-single"),
        ("batería", "battery-replacement"),
        ("bateria", "battery-replacement"),
        ("ALINEACIÓN", "wheel-alignment"),
        ("bomba de agua", "water-pump"),
        ("mi carro no arranca", "battery-replacement"),
    ],
)
def test_everyday_spanish_finds_the_repair(spanish: str, slug: str) -> None:
    assert slug in _slugs(spanish)


def test_search_by_letters_finds_repairs_that_words_do_not() -> None:
    assert _INDEX.search("tyre rotatoin", limit=3)[0].problem.slug != "tire-rotation"
    assert "tire-rotation" in _slugs("tyre rotatoin")


def test_text_unlike_every_title_finds_nothing_by_letters() -> None:
    letters = TrigramIndex(_REPAIRS)

    assert letters.ranked("zyzzyva") == []
    assert letters.ranked("") == []
    assert _REPAIRS[letters.ranked("spark plugs")[0][0]].slug == "spark-plugs"


@pytest.mark.parametrize("code", ["P0420", "p 0171", "code P0455", "what does P0301 mean?"])
def test_code_finds_the_repairs_of_its_page(code: str) -> None:
    ranked = _CODES.rank(code)

    assert ranked is not None
    entry = next(
        one
        for one in _TABLE.standard.values()
        if one.code in code.upper().replace(" ", "").replace("CODE", "")
    )

    assert _with_codes(code, limit=50) == [cause.repair for cause in entry.causes]


def test_code_next_to_words_is_fused_with_them() -> None:
    ranked = _CODES.rank("P0301 rough idle after rain")

    assert ranked is not None
    assert not ranked.alone
    assert "ignition-coil" in _with_codes("P0301 rough idle after rain")


def test_makers_code_finds_the_causes_of_its_makers() -> None:
    assert _with_codes("P1259")[0] == "vvt-solenoid"


@pytest.mark.parametrize("text", ["brake pads", "P0FFF", ""])
def test_text_without_a_known_code_is_not_ranked_by_codes(text: str) -> None:
    assert _CODES.rank(text) is None


def test_slugs_that_are_not_in_the_book_are_left_out() -> None:
    listed = RankedList(repairs=(("no-such-repair", 0.9), ("water-pump", 0.4)), alone=True)

    assert _slugs("anything", lists=(listed,)) == ["water-pump"]


def test_another_ranking_moves_a_repair_up() -> None:
    plain = _slugs("noise", limit=50)
    learned = RankedList(repairs=((plain[9], 0.8),), weight=2.0)

    assert _slugs("noise", limit=50, lists=(learned,)).index(plain[9]) < 9
