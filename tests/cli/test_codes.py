from tests.cli.conftest import Cli


def test_code_is_shown_in_any_spelling(cli: Cli) -> None:
    shown = cli("codes", "show", "p 0420")

    assert shown.status == 0
    assert "Catalyst system efficiency below threshold, bank 1" in shown.out
    assert "60%  Emissions > Catalytic Converter (catalytic-converter)" in shown.out


def test_code_is_shown_as_json(cli: Cli) -> None:
    result = cli("codes", "show", "P0300", "--json").json

    assert (result["code"], result["urgency"], result["safe_to_drive"]) == ("P0300", "now", "short")
    assert result["causes"][0]["problem"]["slug"] == "spark-plugs"
    assert result["causes"][0]["likelihood"] == 28.0
    assert result["causes"][0].keys() == {"problem", "likelihood", "urgency", "safe_to_drive"}


def test_unknown_code_is_explained_by_its_letters_and_digits(cli: Cli) -> None:
    outcome = cli("codes", "show", "P1998")

    assert outcome.status == 0
    assert "Manufacturer powertrain code for the transmission" in outcome.out
    assert "the manufacturer decides" in outcome.out


def test_code_has_the_meaning_of_its_make(cli: Cli) -> None:
    assert "bearing wear" in cli("codes", "show", "P1326", "--make", "kia").out
    assert "Genesis, Hyundai, Kia" in cli("codes", "show", "P1326").out
    assert "P1326\t" in cli("codes", "list", "--make", "Hyundai", "--search", "P1326").out
    assert cli("codes", "list", "--search", "P1326").out == ""


def test_codes_show_rejects_a_bad_code(cli: Cli) -> None:
    outcome = cli("codes", "show", "hello")

    assert (outcome.status, outcome.out) == (1, "")
    assert "such as P0420" in outcome.err


def test_codes_are_listed_and_searched(cli: Cli) -> None:
    assert len(cli("codes", "list").out.splitlines()) >= 300
    assert [one["code"] for one in cli("codes", "list", "--search", "p030", "--json").json][:2] == [
        "P0300",
        "P0301",
    ]
    assert cli("codes", "list", "--search", "misfire cylinder 3,").out == ""
    assert (
        "P0303\tMisfire detected, cylinder 3\tnow\tshort\n" in cli("codes", "list", "--search", "MISFIRE").out
    )


def test_codes_list_says_when_nothing_matches(cli: Cli) -> None:
    outcome = cli("codes", "list", "--search", "xylophone")

    assert (outcome.status, outcome.out) == (0, "")
    assert "No known code" in outcome.err
