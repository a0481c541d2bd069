import io

import pytest
from tests.cli.conftest import Cli


def add_region(cli: Cli, *more: str, name: str = "Ada's Garage") -> str:
    outcome = cli("regions", "add", name, *more, "--json")

    assert outcome.status == 0, outcome.err
    return str(outcome.json["id"])


def test_region_is_added_shown_and_listed(cli: Cli) -> None:
    number = add_region(cli, "--city", "Reno", "--state", "nevada", "--zip", "89501", "--rate", "$1,128.50")
    result = cli("regions", "show", number, "--json").json

    assert (result["facility_name"], result["state"], result["avg_labor_rate"]) == (
        "Ada's Garage",
        "NV",
        1128.5,
    )
    assert cli("regions", "list", "--json").json == [result]
    assert cli("regions", "list").out == f"{number}\tAda's Garage\tReno\tNV\t89501\t$1,128.50\t\n"
    output = cli("regions", "show", number).out

    assert "An hour   $1,128.50 (as entered)" in output


def test_list_is_filtered_and_states_what_it_leaves_out(cli: Cli) -> None:
    for name, state in (("Ada's", "CA"), ("Bo", "NV"), ("Cy", "CA")):
        add_region(cli, "--state", state, name=name)

    assert len(cli("regions", "list", "--state", "California", "--json").json) == 2
    assert [one["facility_name"] for one in cli("regions", "list", "--search", "bo", "--json").json] == ["Bo"]
    short = cli("regions", "list", "--limit", "2")

    assert (short.out.count("\n"), short.err) == (2, "1 more: use --limit, --search or --state.\n")


def test_change_keeps_fields_not_given_and_an_empty_text_clears(cli: Cli) -> None:
    number = add_region(cli, "--city", "Reno", "--rate", "100")
    result = cli("regions", "change", number, "--name", "Bo's", "--rate", "", "--json").json

    assert (result["facility_name"], result["city"], result["avg_labor_rate"]) == ("Bo's", "Reno", None)
    assert "An hour   unknown" in cli("regions", "change", number, "--city", "").out
    assert cli("regions", "show", number, "--json").json["city"] is None


def test_region_is_removed_only_after_confirmation(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    number = add_region(cli)
    monkeypatch.setattr("sys.stdin", io.StringIO())

    assert cli("regions", "remove", number).status == 2
    assert cli("regions", "remove", number, "--yes", "--json").json == {"id": int(number), "removed": True}
    assert cli("regions", "remove", number, "--yes").status == 1


def test_recalculate_prints_how_many_rates_were_updated(cli: Cli) -> None:
    add_region(cli)

    assert cli("regions", "recalculate").out == "0 regions were updated from invoices; 1 has too few.\n"
    assert cli("regions", "recalculate", "--json").json == {"updated": 0, "skipped": 1}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("add", " "), "Error: facility_name: The facility name field is required."),
        (("add", "Ada", "--rate", "-5"), "Error: avg_labor_rate: "),
        (("add", "Ada", "--rate", "much"), "Error: avg_labor_rate: "),
        (("add", "Ada", "--rate", "nan"), "Error: avg_labor_rate: "),
        (("add", "Ada", "--rate", "1000001"), "Error: avg_labor_rate: "),
        (("add", "Ada", "--zip", "9" * 21), "Error: zip_code: "),
        (("add", "\udcff"), "Error: "),
        (("show", "4711"), "Error: Region not found."),
        (("change", "4711", "--name", "x"), "Error: Region not found."),
    ],
)
def test_failure_is_one_line(cli: Cli, call: tuple[str, ...], expected: str) -> None:
    outcome = cli("regions", *call)

    assert (outcome.status, outcome.out) == (1, "")
    assert expected in outcome.err
    assert "Traceback" not in outcome.err
    assert "something unexpected" not in outcome.err


@pytest.mark.parametrize("number", ["x", "0", "-1", "9" * 30])
def test_bad_id_exits_with_2(cli: Cli, number: str) -> None:
    assert cli("regions", "show", number).status == 2
