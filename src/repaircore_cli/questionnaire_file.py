"""The questionnaire in a file: TOML, or JSON when the name ends in .json."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from repaircore.json_text import pretty
from repaircore.kernel.errors import Invalid
from repaircore_cli.whole_files import read_bytes, read_json

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Array, InlineTable


_LARGEST: Final = 5_000_000
"""Bytes; a questionnaire as large as is allowed is far below."""

_HEAD: Final = (
    "What owners are asked. Change it and bring it in with `repaircore diagnostics import`.",
    "Keep the ids; leave the id out of what is new. What is left out of the file is no longer asked.",
)


def read_questionnaire(path: Path) -> Any:
    """Read a file; whether it holds a questionnaire is not judged here.

    Raises:
        Invalid: on ``file``: it is too large, or not in its form.
        OSError: it cannot be read.
    """
    if path.suffix.lower() == ".json":
        return read_json(path, _LARGEST)
    try:
        return tomllib.loads(read_bytes(path, _LARGEST).decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not UTF-8 text."]}) from None
    except (ValueError, RecursionError) as error:
        raise Invalid({"file": [f"The file is not valid TOML (JSON ends in .json): {error}."]}) from None


def write_questionnaire(path: Path, document: dict[str, Any]) -> None:
    """Write a file, in the place of what was there.

    Raises:
        OSError: it cannot be written.
    """
    if path.suffix.lower() == ".json":
        text = pretty(document) + "\n"
    else:
        from tomlkit import dumps

        text = dumps(_toml(document))
    path.write_text(text, encoding="utf-8", newline="\n")


def _toml(document: dict[str, Any]) -> "TOMLDocument":
    """Lay the document out as the shipped pages are: a line for each answer."""
    import tomlkit

    made = tomlkit.document()
    for line in _HEAD:
        made.add(tomlkit.comment(line))
    made.add(tomlkit.nl())
    categories = tomlkit.aot()
    for category in document["category"]:
        table = tomlkit.table()
        table.update({name: value for name, value in category.items() if name != "question"})
        questions = tomlkit.aot()
        for question in category["question"]:
            questions.append(tomlkit.item({**question, "options": _options(question["options"])}))
        table.add("question", questions)
        categories.append(table)
    made.add("category", categories)
    return made


def _options(options: list[dict[str, Any]]) -> "Array":
    import tomlkit

    lines = tomlkit.array().multiline(multiline=True)
    for option in options:
        lines.append(_option(option))
    return lines


def _option(option: dict[str, Any]) -> "InlineTable":
    import tomlkit

    made = tomlkit.inline_table()
    made.update(option)
    return made
