"""Small runs of the learning benchmarks, and their plots."""

import json
from pathlib import Path

import numpy as np
import pytest
from bench.quality.learning import fitted, held, main
from bench.quality.plot import draw_learning
from bench.quality.pooling import starts

pytestmark = pytest.mark.long


def test_first_refit_moves_ranges_and_nothing_else_does() -> None:
    one = fitted(1, invoices=150)
    assert one.before.shape == one.after.shape
    assert np.all(one.before >= 0)  # a fee that is set by law has no range
    assert np.median(one.before) > 0
    assert not np.allclose(one.before, one.after)
    assert 0 <= one.held_after <= 100


def test_refit_holds_the_lock_in_pieces() -> None:
    for one in held(1, invoices=300):
        assert one.pieces >= 2
        assert 0 < one.longest <= one.whole


@pytest.mark.thorough
def test_new_shop_is_measured_with_and_without_priors() -> None:
    without, priors = starts(1, others=400, weights=(20,))
    assert (without.weight, priors.weight) == (0, 20)
    assert without.mae != priors.mae


@pytest.mark.parametrize("part", ["history", "shop", "refit"])
def test_each_part_has_a_picture(tmp_path: Path, part: str) -> None:
    point = {"bias": 0.1, "median_error": 20.0, "coverage": 80.0}
    figures = {
        "history": [{"invoices": count, **point} for count in (0, 20, 2_000)],
        "shop": [
            {"series": f"a shop at +30%, {name}", "invoices": count, **point}
            for name in ("alone", "others")
            for count in (0, 100)
        ],
        "refit": [{"before": [0.5, 0.6], "after": [0.4, 0.7], "held_before": 90.0, "held_after": 80.0}],
    }
    for _ in range(2):
        draw_learning({part: figures[part]}, tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name == f"learning-{part}.svg"
    assert file.read_text().lstrip().startswith("<?xml")


def test_command_prints_what_it_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    json_file = tmp_path / "figures.json"
    main(["--parts", "lock", "--most", "60", "--seeds", "1", "--json", str(json_file)])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert json.loads(json_file.read_text()) == {"lock": rows}
    assert [row["refit"] for row in rows] == ["the first", "the next night"]
