"""Usage errors and help on terminals of any width: no word is split."""

from collections.abc import Callable

import pytest
from tests.cli.test_lists import Terminal

from repaircore_cli.main import run

WIDTHS = (40, 60, 200)


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, str]]:
    """Return a function that runs a command on a terminal of a width and returns (output, errors)."""

    def call(width: int, *words: str) -> tuple[str, str]:
        out, err = Terminal(), Terminal()
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", str(width))
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            with pytest.raises(SystemExit):
                run(words)
        return out.getvalue(), err.getvalue()

    return call


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (("predict", "--no-such-option-at-all"), ["--no-such-option-at-all", "[OPTIONS]"]),
        (("predict-by-specs",), ["predict-by-specs", "PROBLEM"]),
        (("appointments", "no-show-at-all"), ["'no-show-at-all'."]),
        (("price-adjustment", "set"), ["price-adjustment"]),
    ],
)
def test_usage_error_is_wrapped_between_words(
    on_terminal: Callable[..., tuple[str, str]], width: int, words: tuple[str, ...], whole: list[str]
) -> None:
    out, err = on_terminal(width, *words)
    lines = err.splitlines()

    assert out == ""
    assert max(map(len, lines)) <= width
    assert any(line.startswith("Error: ") for line in lines)
    for word in whole:
        assert any(word in line for line in lines), (word, err)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", [(), ("users",), ("predict",), ("partners",), ("import",), ("book",)])
def test_help_fits_the_terminal_and_truncates_nothing(
    on_terminal: Callable[..., tuple[str, str]], width: int, words: tuple[str, ...]
) -> None:
    output, _ = on_terminal(width, *words, "--help")
    wide, _ = on_terminal(200, *words, "--help")
    links = [word for word in wide.split() if len(word) > 16]

    assert max(map(len, output.splitlines())) <= width
    assert "..." not in wide.replace("[ARGS]...", "")
    for word in {*wide.split()} - {*links}:
        assert word in output.split(), word


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("transactions", "show", "abc"), "Invalid value for 'ID': must be a whole number."),
        (("garage", "bill", "1HGCM82633A004352", "x"), "Invalid value for 'DOLLARS': must be a number."),
        (("transactions", "list", "--limit", "0"), "Invalid value for '--limit': must be at least 1."),
        (("transactions", "list", "--limit", "999"), "Invalid value for '--limit': must be at most 100."),
    ],
)
def test_value_of_the_wrong_type_is_refused_in_our_own_wording(
    on_terminal: Callable[..., tuple[str, str]], words: tuple[str, ...], reason: str
) -> None:
    _, err = on_terminal(200, *words)

    assert err.splitlines()[-1] == f"Error: {reason}"


def test_url_in_narrow_help_is_not_split(on_terminal: Callable[..., tuple[str, str]]) -> None:
    output, _ = on_terminal(40, "users", "create", "--help")
    narrow = output.splitlines()

    assert "    postgresql+psycopg://user@host/name." in narrow
    assert "  --database URL" in narrow
    assert max(map(len, narrow)) <= 40


@pytest.mark.parametrize("words", [(), ("problems",), ("import",)])
def test_group_without_a_command_prints_its_help_as_laid_out(
    on_terminal: Callable[..., tuple[str, str]], words: tuple[str, ...]
) -> None:
    helped, _ = on_terminal(100, *words, "--help")
    out, err = on_terminal(100, *words)

    assert out == ""
    assert err.split("\n\n") == helped.split("\n\n")
