"""All commands that print rows: on terminals of any width, into pipes, and with no rows."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.conftest import Cli, Outcome
from tests.cli.test_directory import DRIVERS
from tests.cli.test_import_shop_files import ALTERNATOR, BOTH, HEAD, LOF, ODD, PADS
from tests.cli.test_recalls import FLAT
from tests.cli.test_rides import create_accepted_ride
from tests.cli.test_visits import VISIT
from tests.paper_invoices import INVOICES, as_pdf
from typing_extensions import override

from repaircore.core import Core, build
from repaircore.questionnaire.answers import SubmitAnswer, SubmitAnswers
from repaircore.settings import Settings
from repaircore.visits.requests import CreateVisit
from repaircore_cli.main import app, run

VIN = "1HGCM82633A004352"
ADA = ("--email", "ada@example.com")
WIDTHS = (40, 60, 200)


def _commands(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, Any]]:
    ctx = command.context_class(command, info_name=name, parent=parent)
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for inner in command.list_commands(ctx):
        yield from _commands(command.get_command(ctx, inner), f"{name} {inner}".strip(), ctx)


LEAVES = dict(_commands(typer.main.get_command(app), ""))
WITH_ROWS = {
    name for name, leaf in LEAVES.items() if any(param.name == "with_header" for param in leaf.params)
}
WRITING = {"estimates refit", "garage import", "import invoice", "drafts update", "backup"}
"""These change something and print rows like the others."""

EMPTY = {
    "estimates accuracy",
    "webhooks list",
    "webhooks attempts",
    "payments owed",
    "appointments list",
    "messages list",
    "rides proofs",
}
"""Their rows come from other services or from failures."""

ARGUMENTS = {
    "transactions plot": ("alternator", "--out", "/dev/null/x.png"),
    "problems search": ("brakes",),
    "recalls list": ("Chevrolet", "Silverado 1500", "2019"),
    "garage show": (VIN,),
    "garage bills": (VIN,),
    "keys list": ADA,
    "rides list": ("--kind", "tow", "--test"),
    "payments list": ("--test",),
    "schedules due": ("--within", "3650"),
    "garage due": ("--by", "2199-01-01"),
    "partners members": ("Towify",),
}


class Terminal(io.StringIO):
    """An output that claims to be a terminal."""

    encoding = "utf-8"

    @override
    def isatty(self) -> bool:
        return True


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    opened = build(Settings(database_url=sqlite_url))
    yield opened
    opened.close()


@pytest.fixture
def filled(cli: Cli, core: Core, tmp_path: Path) -> dict[str, tuple[str, ...]]:
    """Fill the installation, and return the arguments of each command."""
    file = tmp_path / "file"

    def do(*words: str, text: str | None = None) -> Outcome:
        if text is not None:
            file.write_text(text)
        outcome = cli(*words)
        assert outcome.status == 0, (words, outcome.err)
        return outcome

    core.partners.create("Towify", "test")
    ride = create_accepted_ride(core, core.tows)
    core.visits.create(core.visits.parse(VISIT, CreateVisit))
    question = core.questionnaire.category("brakes").active_questions[0]
    answer = SubmitAnswer(
        question_id=question.id, question_text=question.text, answer=question.options[0].answer
    )
    core.questionnaire.submit(SubmitAnswers(category_slug="brakes", answers=(answer,)))
    do("users", "invite", "ada@example.com", "--name", "Ada")
    do("keys", "create", "shop", *ADA)
    do("partners", "add-member", "Towify", "ada@example.com")
    do("regions", "add", "Main Street Garage", "--zip", "43215", "--rate", "128.50")
    do("import", "transactions", str(file), text=HEAD + ALTERNATOR + PADS + LOF + BOTH + ODD)
    do("import", "recalls", str(FLAT))
    do("drivers", "import", str(file), text=DRIVERS)
    do(
        "businesses",
        "import",
        str(file),
        text=DRIVERS.replace("services", "ride_types", 1)
        .replace("tire_change towing", "Flatbed")
        .replace("towing", "Flatbed")
        .replace("vehicle", "address", 1),
    )
    do(
        "mechanics",
        "add",
        "Lee Chen",
        "--zip",
        "90210",
        "--hours",
        "mon-fri 08:00-17:00",
        "--service",
        "brakes",
    )
    do("vehicles", "lookup", VIN)
    do("garage", "add", VIN, "--zip", "90210", "--odometer", "98000")
    do("garage", "bill", VIN, "58.20", "--title", "Alignment", "--shop", "Elm Street")
    do("schedules", "add", VIN, "Oil change", "--on", "2027-01-01", "--at", "105000")
    do(
        "book",
        "import",
        str(file),
        text=json.dumps([{"slug": "alternator", "labor_hours": 2.9, "source": "ours"}]),
    )
    do("tasks", "start", "export_transactions")
    paper = tmp_path / "invoice.pdf"
    paper.write_bytes(as_pdf(INVOICES[5]))
    draft = do("import", "invoice", str(paper), "--json").json["number"]
    payment = core.tows.get(ride.ref, None).payments[0]
    return ARGUMENTS | {
        "rides show": (ride.ref,),
        "rides proofs": (ride.ref,),
        "payments show": (str(payment.id), "--test"),
        "drafts show": (draft,),
        "transactions plot": ("alternator", "--out", str(tmp_path / "plot.png")),
    }


@pytest.fixture
def on_terminal(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def call(width: int, *words: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", str(width))
            patch.setattr("sys.stdout", terminal)
            with pytest.raises(SystemExit):
                run(["--database", sqlite_url, *words])
        return terminal.getvalue()

    return call


def _is_required(param: Any) -> bool:
    return bool(param.param_type_name == "argument" and param.required)


@pytest.mark.long
def test_no_command_cuts_a_word_on_a_terminal_of_any_width(
    cli: Cli, filled: dict[str, tuple[str, ...]], on_terminal: Callable[..., str]
) -> None:
    empty = set()
    for name in sorted(WITH_ROWS - WRITING):
        words = (*name.split(), *filled.get(name, ()))
        piped = cli(*words)
        assert piped.status == 0, (words, piped.err, "what it is called with is entered in ARGUMENTS")
        if "\t" not in piped.out:
            empty.add(name)
        for width in WIDTHS:
            lost = Counter(piped.out.split()) - Counter(on_terminal(width, *words).split())
            assert not lost, (words, width)

    assert empty == EMPTY, "fill what they list in the fixture"


def test_every_list_prints_its_header_into_a_pipe_on_request(
    cli: Cli, filled: dict[str, tuple[str, ...]]
) -> None:
    for name in sorted(WITH_ROWS - WRITING - EMPTY - {"rides show", "payments show"}):
        words = (*name.split(), *filled.get(name, ()))
        plain, headed = cli(*words).out.splitlines(), cli(*words, "--header").out.splitlines()
        added = [line for line in headed if line not in plain]
        first = next((line for line in plain if "\t" in line), f"no rows of {name}")

        assert added, words
        assert added[0].count("\t") == headed[headed.index(added[0]) + 1].count("\t"), words
        assert first in headed


def test_every_empty_list_says_so(cli: Cli) -> None:
    shipped = {"problems list", "problems search", "codes list", "jobs list", "vehicles stats"}
    shipped |= {"transactions stats"}
    of_one = {name for name in WITH_ROWS if any(_is_required(param) for param in LEAVES[name].params)}
    cli("users", "invite", "ada@example.com", "--name", "Ada")
    lists = {name for name in WITH_ROWS - WRITING - shipped if name.split()[-1] not in {"show", "plot"}}

    for name in sorted(lists - of_one - {"users list", "audit", "garage sums"}):
        outcome = cli(*name.split(), *ARGUMENTS.get(name, ()))

        assert (outcome.status, outcome.out) == (0, ""), name
        assert outcome.err.strip(), name


def test_every_list_has_a_limit() -> None:
    short = {"jobs list", "recalls list", "drivers keys list", "businesses keys list"}
    lists = {name: leaf for name, leaf in LEAVES.items() if name.endswith(" list") and name not in short}
    unlimited = [
        name for name, leaf in lists.items() if not any("--limit" in param.opts for param in leaf.params)
    ]

    assert len(lists) > 20
    assert unlimited == []


def test_limit_truncates_a_list_and_says_so(cli: Cli, core: Core) -> None:
    for name in ("ada", "bob", "eve"):
        cli("users", "invite", f"{name}@example.com", "--name", name)
        cli("keys", "create", name, *ADA)
        core.partners.create(name, "test")
        cli("tasks", "start", "export_transactions")
    lists = {
        "users list": "2 more: use --limit.\n",
        "partners list": "2 more: use --page or --limit.\n",
        "keys list": "2 more: use --limit.\n",
        "tasks list": "2 more: use --page or --limit.\n",
    }

    for name, left in lists.items():
        words = (*name.split(), *ARGUMENTS.get(name, ()))
        outcome = cli(*words, "--limit", "1")
        assert (outcome.out.count("\n"), outcome.err) == (1, left), name
        assert len(cli(*words, "--limit", "1", "--json").json) == 1
        assert len(cli(*words, "--json").json) == 3
    for name in ("problems list", "codes list"):
        outcome = cli(*name.split(), "--limit", "2")
        assert (outcome.out.count("\n"), outcome.err.endswith(" more: use --limit.\n")) == (2, True), name
    assert cli("codes", "list", "--limit", "0").status == 2
