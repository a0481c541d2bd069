"""A conversation at the command line: piped, as JSON, taken up again."""

import io
import json

import pytest
from tests.cli.conftest import Cli

LIGHT = "The check engine light is on."
ACCORD = "1HGCM82633A004352"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> "Typed":
    return Typed(monkeypatch)


class Typed:
    """What comes from the standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, *lines: str) -> None:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_answers_that_are_piped_in_lead_to_repairs(cli: Cli, typed: Typed) -> None:
    typed(*["unsure"] * 30)
    told = cli("chat", LIGHT, "--vin", ACCORD)
    assert (told.status, told.err) == (0, "")
    assert "(yes/no/unsure)" in told.out
    assert "%  " in told.out


def test_as_json_each_turn_is_a_line(cli: Cli, typed: Typed) -> None:
    typed(LIGHT, *["unsure"] * 30)
    told = cli("chat", "--json")
    assert told.status == 0
    *turns, last = [json.loads(line) for line in told.out.splitlines()]
    assert [turn["step"] for turn in turns] == list(range(1, len(turns) + 1))
    assert {turn["type"] for turn in turns} == {"question"}
    assert (last["type"], last["status"]) == ("diagnosis", "diagnosed")


def test_what_ends_early_can_be_taken_up_again(cli: Cli, typed: Typed) -> None:
    typed("unsure")
    early = cli("chat", LIGHT, "--json")
    assert early.status == 1
    session = json.loads(early.out.splitlines()[-1])["session_id"]
    assert early.err == f"Continue with: repaircore chat --session {session}\n"
    typed(*["unsure"] * 30)
    later = cli("chat", "--session", session, "--json")
    assert later.status == 0
    assert json.loads(later.out.splitlines()[0]) == json.loads(early.out.splitlines()[-1])
    over = cli("chat", "--session", session)
    assert (over.status, over.out) == (1, "")
    assert "has its diagnosis" in over.err


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["x"], 1, "at least 3 characters"),
        ([LIGHT, "--vin", "1HG"], 1, "VIN"),
        ([LIGHT, "--image", "nothing.png"], 1, "No such file"),
        (["--session", "7"], 2, "UUID"),
        (["--session", "00000000-0000-7000-8000-00000000abcd"], 1, "not found"),
        ([LIGHT, "--session", "00000000-0000-7000-8000-00000000abcd"], 2, "no new symptom"),
        ([], 1, "at least 3 characters"),
    ],
)
def test_what_cannot_be_is_said(cli: Cli, typed: Typed, args: list[str], status: int, said: str) -> None:
    typed()
    told = cli("chat", *args)
    assert (told.status, said in told.err, told.out) == (status, True, ""), told.err


def test_an_answer_that_is_none_ends_a_pipe(cli: Cli, typed: Typed) -> None:
    typed("", "yes")
    told = cli("chat", LIGHT)
    assert told.status == 1
    assert "must not be empty" in told.err


def test_what_the_driver_must_know_comes_first_and_once(cli: Cli, typed: Typed) -> None:
    typed("unsure")
    told = cli("chat", "my temp needle is in the red")
    assert told.out.startswith("STOP DRIVING\nThe engine overheats: stop as soon as it is safe")
    assert told.out.count("STOP DRIVING") == 1
