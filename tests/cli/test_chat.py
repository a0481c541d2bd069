"""A chat at the command line: piped, as JSON, and resumed."""

import io
import json

import pytest
from tests.cli.conftest import Cli

LIGHT = "The check engine light is on."
ACCORD = "1HGCM82633A004352"


@pytest.fixture
def type_lines(monkeypatch: pytest.MonkeyPatch) -> "StandardInput":
    return StandardInput(monkeypatch)


class StandardInput:
    """Set the lines of the standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, *lines: str) -> None:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_chat_accepts_piped_answers(cli: Cli, type_lines: StandardInput) -> None:
    type_lines(*["unsure"] * 30)
    result = cli("chat", LIGHT, "--vin", ACCORD)

    assert (result.status, result.err) == (0, "")
    assert "(yes/no/unsure)" in result.out
    assert "%  " in result.out


def test_json_chat_prints_a_line_per_turn(cli: Cli, type_lines: StandardInput) -> None:
    type_lines(LIGHT, *["unsure"] * 30)
    result = cli("chat", "--json")

    assert result.status == 0
    *turns, last = [json.loads(line) for line in result.out.splitlines()]

    assert [turn["step"] for turn in turns] == list(range(1, len(turns) + 1))
    assert {turn["type"] for turn in turns} == {"question"}
    assert (last["type"], last["status"]) == ("diagnosis", "diagnosed")


def test_chat_resumes_an_unfinished_session(cli: Cli, type_lines: StandardInput) -> None:
    type_lines("unsure")
    early = cli("chat", LIGHT, "--json")

    assert early.status == 1
    session = json.loads(early.out.splitlines()[-1])["session_id"]

    assert early.err == f"Continue with: repaircore chat --session {session}\n"
    type_lines(*["unsure"] * 30)
    later = cli("chat", "--session", session, "--json")

    assert later.status == 0
    assert json.loads(later.out.splitlines()[0]) == json.loads(early.out.splitlines()[-1])
    over = cli("chat", "--session", session)

    assert (over.status, over.out) == (1, "")
    assert "has its diagnosis" in over.err


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["x"], 1, "at least 3 characters"),
        ([LIGHT, "--vin", "1HG"], 1, "VIN"),
        ([LIGHT, "--image", "nothing.png"], 1, "No such file"),
        (["--session", "7"], 2, "UUID"),
        (["--session", "00000000-0000-7000-8000-00000000abcd"], 1, "not found"),
        ([LIGHT, "--session", "00000000-0000-7000-8000-00000000abcd"], 2, "a new symptom"),
        ([], 1, "at least 3 characters"),
    ],
)
def test_chat_reports_bad_input(
    cli: Cli, type_lines: StandardInput, args: list[str], status: int, message: str
) -> None:
    type_lines()
    result = cli("chat", *args)

    assert (result.status, message in result.err, result.out) == (status, True, ""), result.err


def test_chat_ends_a_pipe_on_an_empty_answer(cli: Cli, type_lines: StandardInput) -> None:
    type_lines("", "yes")
    result = cli("chat", LIGHT)

    assert result.status == 1
    assert "must not be empty" in result.err


def test_chat_prints_safety_first_and_once(cli: Cli, type_lines: StandardInput) -> None:
    type_lines("unsure")
    result = cli("chat", "my temp needle is in the red")

    assert result.out.startswith("STOP DRIVING\nThe engine is overheating: stop as soon as it is safe")
    assert result.out.count("STOP DRIVING") == 1
