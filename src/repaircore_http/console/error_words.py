"""Error messages with a form's labels in place of the JSON paths of fields."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_NUMBER: Final = re.compile(r"(?<=\.)\d{1,9}(?=\.|$)", re.ASCII)


def relabel(errors: Mapping[str, Sequence[str]], labels: Mapping[str, str]) -> dict[str, list[str]]:
    """Return errors with the labels of their fields in place of the paths.

    "The lines.0.price field is required." becomes "Line 1: the price is required."

    ``labels`` are keyed by path. The label of ``lines.*.price`` is for every line; in it, ``{}`` stands for the number
    of the line, from 1.
    A field without a label keeps its path, and a message that does not begin with its field stays unchanged.
    """
    return {path: [_relabeled(text, path, labels) for text in texts] for path, texts in errors.items()}


def _relabeled(text: str, path: str, labels: Mapping[str, str]) -> str:
    subject, label = f"The {path.replace('_', ' ')} field ", _label_of(path, labels)
    return text if label is None or not text.startswith(subject) else f"{label} {text.removeprefix(subject)}"


def _label_of(path: str, labels: Mapping[str, str]) -> str | None:
    number = _NUMBER.search(path)
    label = labels.get(_NUMBER.sub("*", path))
    if path in labels or number is None or label is None:
        return labels.get(path)
    return label.replace("{}", str(int(number[0]) + 1))
