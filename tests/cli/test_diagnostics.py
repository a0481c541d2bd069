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


def question_texts(core: Core) -> list[str]:
    return [one.text for one in core.questionnaire.category("brakes").active_questions]


def submitted(core: Core, answer: SubmitAnswer, **more: str) -> str:
    request = SubmitAnswers(category_slug="brakes", answers=(answer,), **more)
    return core.questionnaire.submit(request).reference


def test_export_writes_a_readable_file(file: Path) -> None:
    text = file.read_text("utf-8")

    assert text.startswith("# The questions for owners.")
    assert '{answer = "Soft or spongy", present = ["brake-pedal-soft"]}' in text
    assert max(map(len, text.splitlines())) < 250


@pytest.mark.parametrize("name", ["q.toml", "q.json"])
def test_import_of_an_export_changes_nothing(cli: Cli, tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)

    assert cli("diagnostics", "export", path).out.startswith("16 categories with 130 questions")
    result = cli("diagnostics", "import", path, "--json").json

    assert result == {"added": 0, "changed": 0, "retired": 0, "same": 130, "kept": True}


def test_import_applies_a_change(cli: Cli, file: Path, core: Core) -> None:
    result = cli("diagnostics", "import", str(reworded(file)))

    assert result.out == "Questions: 0 added, 1 changed, 0 retired, 129 unchanged.\n"
    assert "How does the pedal feel? ü" in question_texts(core)


def test_import_dry_run_shows_the_changes_only(cli: Cli, file: Path, core: Core) -> None:
    result = cli("diagnostics", "import", str(reworded(file)), "--dry-run")

    assert "1 would be changed" in result.out
    assert "How does the brake pedal feel?" in question_texts(core)


def test_import_reports_errors_by_place(cli: Cli, tmp_path: Path, core: Core) -> None:
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

    assert "How does the brake pedal feel?" in question_texts(core)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.toml", b"", "The category field is required"),
        ("q.toml", b"[[category]\n", "line 1"),
        ("q.toml", b"\xff\xfe", "UTF-8"),
        ("q.json", b"{", "JSON"),
        ("q.json", b"[" * 200_000, "nested deeper"),
        ("q.json", b"[]", "must be a table (TOML) or an object (JSON)"),
        ("q.toml", b"#" * 5_000_001, "larger"),
    ],
)
def test_import_rejects_other_files(
    cli: Cli, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    outcome = cli("diagnostics", "import", str(path))

    assert (outcome.status, outcome.out) == (1, "")
    assert message in outcome.err


def test_import_reports_a_missing_file(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("diagnostics", "import", str(tmp_path / "nothing.toml"))

    assert outcome.status == 1
    assert "No such file" in outcome.err


def test_export_overwrites_only_with_yes(cli: Cli, file: Path) -> None:
    assert cli("diagnostics", "export", str(file)).status == 2
    assert cli("diagnostics", "export", str(file), "--yes").status == 0


def test_restore_brings_back_the_shipped_questionnaire(cli: Cli, file: Path, core: Core) -> None:
    cli("diagnostics", "import", str(reworded(file)))

    assert cli("diagnostics", "restore").status == 2
    assert cli("diagnostics", "restore", "--yes").out.startswith("Questions: 0 added, 1 changed")
    assert "How does the brake pedal feel?" in question_texts(core)
    actions = [entry["action"] for entry in cli("audit", "--json").json]

    assert actions == ["questionnaire.restore", "questionnaire.import"]


def test_submissions_are_listed_and_shown(cli: Cli, core: Core) -> None:
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
    output = cli("diagnostics", "show", first.lower()).out

    assert "What do you hear? Grinding, metal on metal" in output
    assert "2015 Accord" in output
    result = cli("diagnostics", "show", first, "--json").json

    assert result["suggestions"][0]["repair"].startswith("brake-")
    assert result["suggestions"][0]["why"]


def test_show_reports_an_unknown_reference(cli: Cli) -> None:
    for call in (("show", "DR-20260131-AAAAAA"), ("list", "--before", "x")):
        outcome = cli("diagnostics", *call)

        assert (outcome.status, outcome.out) == (1, "")
        assert "no submission" in outcome.err


def test_confirm_learn_and_accuracy_work_together(cli: Cli) -> None:
    reference = cli("diagnose", "squeals when I brake", "--json").json["reference"]
    result = cli("diagnostics", "confirm", reference, "brake-pads-front")

    assert result.status == 0, result.err
    assert result.out.startswith(
        f"The actual repair for {reference} was brake-pads-front. It was suggestion #"
    )
    assert cli("diagnostics", "learn", "--json").json["cases"] == 1
    assert cli("diagnostics", "accuracy", "--json").json["confirmed"] == 1
    assert "1 of them with a confirmed repair" in cli("diagnostics", "accuracy").out
    unknown = cli("diagnostics", "confirm", "DG-20260131-AAAAAA", "brake-pads-front")

    assert (unknown.status, unknown.out) == (1, "")
