"""The exit statuses of all commands, and commands in an empty folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.cli.test_lists import ADA, LEAVES, VIN

WITHOUT_DATABASE = {
    "openapi",
    "book schema",
    "estimates priors-schema",
    "catalog rebuild",
    "connectedcar sandbox",
}
ARGUMENTS = {
    "price-adjustment set": ["7"],
    "garage bill": [VIN, "58.20"],
    "recalls list": ["Honda", "Accord", "2003"],
}

SHIPPED = [
    ("problems", "list"),
    ("problems", "search", "squeaky brakes"),
    ("problems", "show", "brake-pads-front"),
    ("codes", "show", "P0420"),
    ("vehicles", "decode", VIN),
]


def test_every_command_exits_with_2_on_a_usage_error(cli: Cli) -> None:
    for name in LEAVES:
        plain = cli(*name.split(), "--no-such-option")
        as_json = cli(*name.split(), "--no-such-option", "--json")

        assert (plain.status, plain.out, as_json.status, as_json.out) == (2, "", 2, ""), name
        message = json.loads(as_json.err)["message"]
        assert message in plain.err, name
        if name != "price-adjustment set":  # -5 is a percentage
            assert "No such option" in message, name


def test_every_command_exits_with_0_after_its_help(cli: Cli) -> None:
    for name in LEAVES:
        outcome = cli(*name.split(), "--help")

        assert (outcome.status, outcome.err, outcome.out[:7]) == (0, "", "Usage: "), name


def test_every_command_exits_with_1_without_its_database(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "dear diary " * 100
    (tmp_path / "notes.db").write_text(text)
    for name in sorted(LEAVES.keys() - WITHOUT_DATABASE):
        words = [*name.split(), *_required_arguments(name, tmp_path), "--json"]

        outcome = cli(*words, "--database", f"sqlite:///{tmp_path}/notes.db")

        assert outcome.status == 1, (words, outcome)
        assert (tmp_path / "notes.db").read_text() == text, words


def _required_arguments(name: str, folder: Path) -> list[str]:
    """Return a value for each required parameter, and an answer to each prompt."""
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    command = LEAVES[name]
    file = folder / "file.csv"
    file.write_text("vin\n")
    names = {param.name for param in command.params}
    words = ["--yes"] if "yes" in names else []
    for param in command.params:
        if param.required:
            value = "7" if getattr(param.type_descriptor, "annotation", str) is int else str(file)
            words += [value] if param.param_type_name == "argument" else [param.opts[0], value]
    return words


@pytest.mark.parametrize("call", SHIPPED)
def test_shipped_data_is_read_without_an_installation(
    cli: Cli, tmp_path: Path, call: tuple[str, ...]
) -> None:
    outcome = cli(*call, "--database", f"sqlite:///{tmp_path}/none/shop.db")

    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "call", [("visits", "list"), ("regions", "show", "3"), ("keys", "list", *ADA), ("audit",)]
)
def test_reading_an_empty_folder_gives_advice_and_creates_nothing(
    cli: Cli, tmp_path: Path, call: tuple[str, ...]
) -> None:
    outcome = cli(*call, "--database", f"sqlite:///{tmp_path}/none/shop.db")

    assert (outcome.status, outcome.out) == (1, "")
    assert "There is no database yet" in outcome.err
    assert "`repaircore db upgrade`" in outcome.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("front brake pads", "brake-pads-front"),
        ("Change the oil", "oil-change"),
        ("car won't start", "battery-replacement"),
    ],
)
def test_repair_is_found_by_words(cli: Cli, words: str, slug: str) -> None:
    estimate = cli("predict", VIN, "90210", words, "--json")
    visit = cli("visit", VIN, "90210", words, "muffler", "--json")

    assert (estimate.json["problem"]["slug"], slug in estimate.err) == (slug, True)
    assert [line["problem_identifier"] for line in visit.json["lines"]] == [slug, "muffler"]
    assert cli("problems", "show", words, "--json").json["slug"] == slug


def test_ambiguous_words_are_refused_with_the_possible_repairs(cli: Cli) -> None:
    for call in (("predict", VIN, "90210"), ("visit", VIN, "90210"), ("problems", "show")):
        outcome = cli(*call, "brake pads")

        assert (outcome.status, outcome.out) == (1, "")
        assert "Did you mean brake-pads-front, brake-pads-rear or " in outcome.err


def test_predict_takes_specs_in_place_of_a_vin(cli: Cli) -> None:
    specs = ("--year", "2015", "--make", "toyota", "--model", "camry", "--engine", "2.5 hybrid")
    by_options = cli("predict", *specs, "90210", "brake-pads-front", "--json").json
    by_words = cli("predict-by-specs", *specs[1:6:2], "90210", "brake-pads-front", *specs[6:], "--json").json

    assert by_options["local_prediction"] == by_words["local_prediction"]
    assert cli("predict", *specs, VIN, "90210", "brake-pads-front").status == 2
    assert cli("predict", "--year", "2015", "90210", "brake-pads-front").status == 2
    assert cli("predict", "--engine", "V6", VIN, "90210", "brake-pads-front").status == 2


def test_estimate_begins_with_its_price(cli: Cli) -> None:
    local = cli("predict", VIN, "90210", "brake-pads-front", "--json").json["local_prediction"]
    low, average, high = (f"${local[f'{name}_total_estimate']:,.2f}" for name in ("low", "average", "high"))
    lines = cli("predict", VIN, "90210", "brake-pads-front").out.splitlines()

    assert lines[0] == f"Price      {average}, usually {low} to {high}"
    assert lines[1].startswith("Fair ")
    assert any(line.startswith("Includes ") for line in lines[:5])


@pytest.mark.parametrize(
    "call",
    [
        ("backup", "no/where/shop.zip"),
        ("book", "export", "no/where/book.json"),
        ("export", "transactions", "no/where/out.csv"),
        ("diagnostics", "export", "no/where/questions.toml"),
        ("import", "transactions", "no/where/in.csv"),
        ("predict", "--file", "no/where/in.csv"),
        ("quote-check", "no/where/quote.txt", "--vin", VIN, "--zip", "90210"),
    ],
)
def test_error_names_a_file_as_it_was_typed(cli: Cli, call: tuple[str, ...]) -> None:
    outcome = cli(*call)
    typed = next(word for word in call if word.startswith("no/where"))

    assert (outcome.status, outcome.err) == (1, f"Error: No such file or directory: {typed}\n")


def _shell(line: str, url: str) -> "subprocess.CompletedProcess[str]":
    source = str(Path(__file__).parents[2] / "src")
    environ = {
        **os.environ,
        "PYTHONPATH": source,
        "REPAIRCORE_DATABASE_URL": url,
        "R": f"{sys.executable} -m repaircore_cli",
    }
    return subprocess.run(  # noqa: S603 - our own command
        ["/bin/bash", "-o", "pipefail", "-c", line], env=environ, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("line", "status", "error"),
    [
        ("$R problems list | true", 141, ""),
        ("$R problems show brake-pads-front | true", 141, ""),
        ("$R problems list | head -1 >/dev/null; true", 0, ""),
        ("$R problems list >&-", 0, ""),
        ("$R problems show nothing-at-all 2>&-", 1, ""),
        ("$R problems show brake-pads-front >/dev/full", 1, "Error: No space left on device\n"),
    ],
)
def test_closed_output_ends_a_command_quietly(sqlite_url: str, line: str, status: int, error: str) -> None:
    done = _shell(line, sqlite_url)

    assert (done.returncode, done.stderr) == (status, error)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("predict V 90210 brake-pads-f", ["brake-pads-front"]),
        ("visit V 90210 muffler brake-pads-r", ["brake-pads-rear"]),
        ("predict --make toy", ["toyota"]),
        ("codes show p042", ["p0420", "p0421", "p0422"]),
        ("regi", ["regions"]),
    ],
)
def test_shell_completes_names(sqlite_url: str, words: str, completed: list[str]) -> None:
    count = len(words.split())
    done = _shell(
        f"_REPAIRCORE_COMPLETE=complete_bash COMP_WORDS='repaircore {words}' COMP_CWORD={count} $R",
        sqlite_url,
    )

    assert [name for name in done.stdout.split() if name in completed] == completed
    assert len(done.stdout.split()) < 20
