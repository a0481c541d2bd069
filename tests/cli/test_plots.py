"""Plots: drawn as images, or refused."""

import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from PIL import Image
from tests.cli.conftest import Cli

from repaircore.core import build
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PredictByVin
from repaircore.settings import Settings


@pytest.fixture
def answered_predictions(sqlite_url: str) -> None:
    """Store three predictions, each with its invoice."""
    core = build(Settings(database_url=sqlite_url))
    core.upgrade()
    for month, zip_code in enumerate(("90210", "10001", "60601")):
        result = core.predictions.predict(
            PredictByVin(vin="1HGCM82633A004352", zip_code=zip_code, problem_identifier="101")
        )
        core.transactions.record(
            CreateTransaction(
                vehicle_id=result.figures.vehicle.id,
                problem_id=101,
                performed_on=date(2025, 1, 15) + timedelta(days=31 * month),
                labor_hours=1.0,
                labor_rate=150_00,
                parts_total=(70 + 20 * month) * 100,
                session_id=result.session_id,
            )
        )
    core.close()


def image_size(file: Path) -> tuple[int, int]:
    with Image.open(file) as picture:
        shades = picture.convert("L").histogram()

        assert sum(shades[:100]) > 1000  # ink
        return picture.size


@pytest.mark.usefixtures("answered_predictions")
def test_accuracy_is_plotted_and_printed_as_a_table(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "accuracy.png"
    done = cli("estimates", "accuracy", "--plot", str(file))

    assert done.status == 0, done.err
    assert "all repairs" in done.out
    assert image_size(file) > (1000, 500)


@pytest.mark.parametrize("name", ["accuracy.gif", "nowhere/accuracy.png"])
def test_impossible_plot_is_refused_first(cli: Cli, tmp_path: Path, name: str) -> None:
    done = cli("estimates", "accuracy", "--plot", str(tmp_path / name))

    assert done.status == 1
    assert "file" in done.err or "folder" in done.err


@pytest.mark.usefixtures("answered_predictions")
def test_paid_prices_are_plotted_and_printed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "paid.png"
    done = cli("transactions", "plot", "brake-pads-front", "--make", "honda", "--out", str(file), "--json")

    assert done.status == 0, done.err
    result = done.json

    assert (result["invoices"], result["middle"], result["file"]) == (3, 240.0, str(file))
    assert [month["month"] for month in result["months"]] == ["2025-01", "2025-02", "2025-03"]
    assert image_size(file) > (1000, 500)


def test_nothing_is_plotted_without_invoices(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "paid.svg"
    done = cli("transactions", "plot", "brake-pads-front", "--out", str(file))

    assert done.status == 0
    assert "no invoice" in done.err
    assert not file.exists()


def test_unknown_repair_has_no_plot(cli: Cli) -> None:
    assert cli("transactions", "plot", "no-such-repair").status == 1


def test_shell_completion_knows_the_commands(sqlite_url: str) -> None:
    query = {
        "_REPAIRCORE_COMPLETE": "complete_bash",
        "COMP_WORDS": "repaircore transactions pl",
        "COMP_CWORD": "2",
    }
    words = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "repaircore_cli", "--database", sqlite_url],
        env={**os.environ, **query},
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()

    assert words == ["plot"]
