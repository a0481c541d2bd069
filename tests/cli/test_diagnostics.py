import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

from repaircore.core import Core, build
from repaircore.questionnaire.answers import SubmitAnswer, SubmitAnswers
from repaircore.settings import Settings


@pytest.fixture
def file(cli: Cli, tmp_path: Path) -> Path:
    path = tmp_path / "questionnaire.toml"
    assert cli("diagnostics", "export", str(path)).status == 0
    return path


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    made = build(Settings(database_url=sqlite_url))
    yield made
    made.close()


def reworded(file: Path) -> Path:
    text = file.read_text("utf-8")
    assert "How does the brake pedal feel?" in text
    file.write_text(text.replace("How does the brake pedal feel?", "How does the pedal feel? ü"), "utf-8")
    return file


def asked(core: Core) -> list[str]:
    return [one.text for one in core.questionnaire.category("brakes").active_questions]


def submitted(core: Core, answer: SubmitAnswer, **more: str) -> str:
    request = SubmitAnswers(category_slug="brakes", answers=(answer,), **more)
    return core.questionnaire.submit(request).reference


def test_a_file_says_how_it_is_used_and_is_laid_out_for_people(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text.startswith("# The questions for owners.")
    assert '{answer = "Soft or spongy", present = ["brake-pedal-soft"]}' in text
    assert max(map(len, text.splitlines())) < 250


@pytest.mark.parametrize("name", ["q.toml", "q.json"])
def test_what_was_taken_out_changes_nothing_when_it_is_brought_in(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    path = str(tmp_path / name)
    assert cli("diagnostics", "export", path).out.startswith("16 categories with 128 questions")
    told = cli("diagnostics", "import", path, "--json").json
    assert told == {"added": 0, "changed": 0, "retired": 0, "same": 128, "kept": True}


def test_a_change_is_brought_in(cli: Cli, file: Path, core: Core) -> None:
    told = cli("diagnostics", "import", str(reworded(file)))
    assert told.out == "Questions: 0 added, 1 changed, 0 retired, 127 unchanged.\n"
    assert "How does the pedal feel? ü" in asked(core)


def test_a_trial_tells_the_same_and_keeps_nothing(cli: Cli, file: Path, core: Core) -> None:
    told = cli("diagnostics", "import", str(reworded(file)), "--dry-run")
    assert "1 would be changed" in told.out
    assert "How does the brake pedal feel?" in asked(core)


def test_every_fault_of_a_file_is_named_by_its_place(cli: Cli, tmp_path: Path, core: Core) -> None:
    document: dict[str, Any] = {
        "category": [{"slug": "x", "name": 5, "question": [{"text": "Why?", "id": "1"}]}]
    }
    path = tmp_path / "q.json"
    path.write_text(json.dumps(document))
    outcome = cli("diagnostics", "import", str(path))
    assert (outcome.status, outcome.out) == (1, "")
    for place in (
        "category.0.name",
        "category.0.icon",
        "category.0.question.0.text",
        "category.0.question.0.id",
        "category.0.question.0.options",
    ):
        assert f"Error: {place}: " in outcome.err
    assert "How does the brake pedal feel?" in asked(core)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("q.toml", b"", "The category field is required"),
        ("q.toml", b"[[category]\n", "line 1"),
        ("q.toml", b"\xff\xfe", "UTF-8"),
        ("q.json", b"{", "JSON"),
        ("q.json", b"[" * 200_000, "nested deeper"),
        ("q.json", b"[]", "must be a table"),
        ("q.toml", b"#" * 5_000_001, "larger"),
    ],
)
def test_what_is_no_questionnaire_is_told_plainly(
    cli: Cli, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    outcome = cli("diagnostics", "import", str(path))
    assert (outcome.status, outcome.out) == (1, "")
    assert told in outcome.err


def test_a_file_that_is_not_there_is_told_plainly(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("diagnostics", "import", str(tmp_path / "nothing.toml"))
    assert outcome.status == 1
    assert "No such file" in outcome.err


def test_a_file_is_not_overwritten_unasked(cli: Cli, file: Path) -> None:
    assert cli("diagnostics", "export", str(file)).status == 2
    assert cli("diagnostics", "export", str(file), "--yes").status == 0


def test_what_is_shipped_may_be_gone_back_to(cli: Cli, file: Path, core: Core) -> None:
    cli("diagnostics", "import", str(reworded(file)))
    assert cli("diagnostics", "restore").status == 2
    assert cli("diagnostics", "restore", "--yes").out.startswith("Questions: 0 added, 1 changed")
    assert "How does the brake pedal feel?" in asked(core)
    actions = [entry["action"] for entry in cli("audit", "--json").json]
    assert actions == ["questionnaire.restore", "questionnaire.import"]


def test_what_was_answered_is_listed_and_shown(cli: Cli, core: Core) -> None:
    assert cli("diagnostics", "list", "--json").json == []
    squeal = SubmitAnswer(
        question_id=301, question_text="What do you hear?", answer="Grinding, metal on metal"
    )
    unsure = SubmitAnswer(question_id=301, question_text="What do you hear?", answer="Not sure")
    first = submitted(core, squeal, vehicle_info="2015 Accord")
    second = submitted(core, unsure, additional_notes="Help.")
    assert [one["reference_number"] for one in cli("diagnostics", "list", "--json").json] == [second, first]
    assert [
        line.split("\t")[0] for line in cli("diagnostics", "list", "--before", second).out.splitlines()
    ] == [first]
    assert cli("diagnostics", "list", "--category", "leaks").out == ""
    assert "none stands out" in cli("diagnostics", "list", "--limit", "1").out
    shown = cli("diagnostics", "show", first.lower()).out
    assert "What do you hear? Grinding, metal on metal" in shown
    assert "2015 Accord" in shown
    told = cli("diagnostics", "show", first, "--json").json
    assert told["suggestions"][0]["repair"].startswith("brake-")
    assert told["suggestions"][0]["why"]


def test_an_unknown_reference_is_told(cli: Cli) -> None:
    for call in (("show", "DR-20260131-AAAAAA"), ("list", "--before", "x")):
        outcome = cli("diagnostics", *call)
        assert (outcome.status, outcome.out) == (1, "")
        assert "no submission" in outcome.err


def test_what_was_repaired_is_confirmed_learned_and_counted(cli: Cli) -> None:
    reference = cli("diagnose", "squeals when I brake", "--json").json["reference"]
    told = cli("diagnostics", "confirm", reference, "brake-pads-front")
    assert told.status == 0, told.err
    assert told.out.startswith(f"The repair of {reference} was brake-pads-front. It was suggested in place ")
    assert cli("diagnostics", "learn", "--json").json["cases"] == 1
    assert cli("diagnostics", "accuracy", "--json").json["confirmed"] == 1
    assert "of which 1 have a confirmed repair" in cli("diagnostics", "accuracy").out
    unknown = cli("diagnostics", "confirm", "DG-20260131-AAAAAA", "brake-pads-front")
    assert (unknown.status, unknown.out) == (1, "")
