import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.mutation.entered import FOLDER_VARIABLE, Entered, function_name

ROOT = Path(__file__).parents[3]
FARES = Path("src/repaircore/rides/fares.py")


def record(folder: Path, tests: dict[str, tuple[float, list[str]]]) -> Entered:
    functions = sorted({function for _, entered in tests.values() for function in entered})
    written = {
        "functions": [f"{FARES.as_posix()} {name}" for name in functions],
        "tests": [
            (name, seconds, [functions.index(one) for one in entered])
            for name, (seconds, entered) in tests.items()
        ],
    }
    (folder / "gw0.json").write_bytes(msgspec.json.encode(written))
    return Entered.read(folder)


def test_most_specific_test_comes_first(tmp_path: Path) -> None:
    entered = record(
        tmp_path,
        {
            "tests/a.py::test_all": (0.1, ["fare", "round_up", "tax"]),
            "tests/b.py::test_fare": (0.2, ["fare"]),
            "tests/b.py::test_tax": (0.2, ["tax"]),
        },
    )
    [choice] = entered.choose(FARES, "fare")
    assert choice.tests == ["tests/b.py::test_fare", "tests/a.py::test_all"]
    assert choice.seconds == pytest.approx(0.3)


def test_files_take_turns_after_the_specific_tests(tmp_path: Path) -> None:
    many = {f"tests/a.py::test_{number}": (0.01, ["fare"]) for number in range(42)}
    others = {f"tests/b.py::test_{number}": (0.01, ["fare", "tax"]) for number in range(2)}
    first, then = record(tmp_path, many | others).choose(FARES, "fare")
    assert [name.partition("::")[0] for name in first.tests] == ["tests/a.py"] * 40
    assert [name.partition("::")[0] for name in then.tests] == ["tests/a.py", "tests/b.py"] * 2


def test_tests_of_a_mutant_take_a_minute_at_most_but_there_is_one(tmp_path: Path) -> None:
    entered = record(
        tmp_path,
        {
            "tests/a.py::test_slow": (90.0, ["fare"]),
            "tests/b.py::test_slower": (90.0, ["fare", "tax"]),
        },
    )
    [choice] = entered.choose(FARES, "fare")
    assert choice.tests == ["tests/a.py::test_slow"]
    assert entered.choose(FARES, "nobody") == []


@pytest.mark.parametrize(
    ("qualified", "expected"),
    [
        ("fare", "fare"),
        ("Fare.amount", "Fare.amount"),
        ("register.<locals>.view", "register.view"),
        ("Fare.parts.<locals>.<genexpr>", "Fare.parts"),
    ],
)
def test_function_is_named_as_mutants_name_it(qualified: str, expected: str) -> None:
    assert function_name(qualified) == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
@pytest.mark.long
def test_run_records_what_its_tests_enter(tmp_path: Path) -> None:
    subprocess.run(  # noqa: S603 - our own
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"),
            *("-p", "tests.mutation.entered", "tests/unit/rides/test_fares.py"),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(["src", "."]), FOLDER_VARIABLE: str(tmp_path)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    entered = Entered.read(tmp_path)
    choices = entered.choose(FARES, "fare")
    assert choices
    assert all(name.startswith("tests/unit/rides/") for choice in choices for name in choice.tests)
    assert not entered.choose(Path("src/repaircore/vehicles/vin.py"), "_readings")
