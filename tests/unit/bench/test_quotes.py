"""How well quotes in many voices are read: half of them were held out while the reader was tuned."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.quotes import cases_of, main, score

from repaircore.core import Core, build
from repaircore.settings import Settings

FOLDER = Path(__file__).parents[2] / "data" / "quotes" / "voices"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    folder = tmp_path_factory.mktemp("quotes")
    quotes_core = build(Settings(database_url=f"sqlite:///{folder / 'quotes.db'}"))
    yield quotes_core
    quotes_core.close()


def score_half(half: str, core: Core) -> Counter[str]:
    cases = cases_of(FOLDER / f"{half}.json", {}, lambda _words: ())
    counts = score(cases, core.quotes.read)
    print(half, dict(counts))  # noqa: T201 - the figures of the documentation
    return counts


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize(
    ("half", "least", "most"),
    [
        (
            "tuning",
            {"whole": 167, "kind": 177, "matched": 52, "total": 29, "sum": 28},
            {"wrong": 6, "false": 23},
        ),
        (
            "held_out",
            {"whole": 128, "kind": 142, "matched": 39, "total": 21, "sum": 12},
            {"wrong": 12, "false": 46},
        ),
    ],
)
def test_quotes_in_many_voices_are_read_as_well_as_they_were(
    half: str, least: dict[str, int], most: dict[str, int], core: Core
) -> None:
    counts = score_half(half, core)

    assert {name: counts[name] for name in least if counts[name] < least[name]} == {}
    assert {name: counts[name] for name in most if counts[name] > most[name]} == {}


def test_main_prints_the_counts_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"hours": None, "parts": None, "labor": None}
    case = {
        "id": "one",
        "text": "Alternator 400.00\nMystery 30.00\nTotal 430.00",
        "lines": [
            {**line, "job": "alternator", "kind": "repair", "amount": 400.0},
            {**line, "job": "blinker fluid", "kind": "part", "amount": 25.0},
        ],
        "total": 430.0,
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([case]), "utf-8")

    main(["--cases", str(path), "--show"])

    printed = capsys.readouterr().out
    assert "MISSING" in printed
    assert "FALSE" in printed
    assert "    1  whole and right" in printed
