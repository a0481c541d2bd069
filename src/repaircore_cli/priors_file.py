"""A file of priors: JSON, read strictly, since it comes from somebody else."""

import errno
import json
from pathlib import Path
from typing import Any, Final

from repaircore.kernel.errors import Invalid
from repaircore_cli.whole_files import read_whole, written_whole

_LARGEST: Final = 32_000_000
"""Bytes; as many cells as are allowed are about half of it."""


def read_priors(path: Path) -> Any:
    """Read a file; whether it holds priors is not judged here.

    Raises:
        Invalid: on ``file``: it is too large, or not in its form.
        OSError: it cannot be read.
    """
    content = read_whole(path, _LARGEST)
    try:
        return json.loads(
            content.decode("utf-8-sig"), object_pairs_hook=_named_once, parse_constant=_no_number
        )
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not text in UTF-8."]}) from None
    except _TwiceError as error:
        raise Invalid({"file": [f"The file names {error.args[0]!r:.80} twice in one object."]}) from None
    except (ValueError, RecursionError):
        raise Invalid({"file": ["The file is not valid JSON."]}) from None


def write_priors(path: Path, document: Any) -> None:
    """Write a file, in the place of what was there, when it is whole.

    Raises:
        OSError: it cannot be written.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder", str(path.parent))
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


class _TwiceError(ValueError):
    """A key that stands twice in one object: two programs would read two things."""


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _TwiceError(name)
        found[name] = value
    return found


def _no_number(text: str) -> Any:
    raise ValueError(text)
