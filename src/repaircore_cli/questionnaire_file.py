"""Questionnaire files: TOML, or JSON when the name ends in .json."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from repaircore.json_text import pretty
from repaircore.kernel.errors import Invalid
from repaircore_cli.whole_files import read_bytes, read_json, replacing

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Array, InlineTable


_LARGEST: Final = 5_000_000
"""In bytes; the largest allowed questionnaire is far smaller."""

_HEAD: Final = (
    "The questions for owners. Edit them, and import the file with `repaircore diagnostics import`.",
    "Keep the ids; leave out the id of new questions. Questions that are not in the file are retired.",
)


def read_questionnaire(path: Path) -> Any:
    """Return the parsed content of a file; whether it is a questionnaire is not checked here.

    Raises:
        Invalid: on ``file``: it is too large, or not valid TOML (or JSON, if its name ends in .json).
        OSError: it cannot be read.
    """
    if path.suffix.lower() == ".json":
        return read_json(path, _LARGEST)
    try:
        return tomllib.loads(read_bytes(path, _LARGEST).decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not UTF-8 text. Save it as UTF-8."]}) from None
    except (ValueError, RecursionError) as error:
        raise Invalid(
            {
                "file": [
                    f"The file is not valid TOML: {error}. If it is a JSON file, its name must end in .json."
                ]
            }
        ) from None


def write_questionnaire(path: Path, document: dict[str, Any]) -> None:
    """Write a document to a file, replacing an existing one.

    Raises:
        OSError: it cannot be written.
    """
    if path.suffix.lower() == ".json":
        text = pretty(document) + "\n"
    else:
        from tomlkit import dumps

        text = dumps(_toml(document))
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _toml(document: dict[str, Any]) -> "TOMLDocument":
    """Return the document as TOML laid out like the shipped questionnaire, with a line for each answer."""
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
