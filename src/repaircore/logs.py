"""What a process that serves writes to its log: one JSON object a line, or plain text for people.

Whatever is written is masked (``masking``), and stays on its own line: who sends a line break writes none.
"""

import logging
import re
import sys
import time
from typing import Final

from typing_extensions import override

from repaircore.json_text import encode_text
from repaircore.masking import masked

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s %(message)s"
_QUIET: Final = ("httpx", "httpcore")
"""Libraries whose notes name addresses of outside parties."""

_BREAKS: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""What ends a line somewhere, or moves a terminal's cursor."""
_BEYOND_JSON: Final = re.compile("[\x7f-\x9f\u2028\u2029]")


class JsonLines(logging.Formatter):
    """Write a record as one JSON object: time (UTC), level, logger, message, request_id, error."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": masked(record.getMessage()),
        }
        if (request_id := getattr(record, "request_id", None)) is not None:
            told["request_id"] = masked(str(request_id))
        if record.exc_info:
            told["error"] = masked(self.formatException(record.exc_info))
        return _BEYOND_JSON.sub(_escaped, encode_text(told))


class TextLines(logging.Formatter):
    """Write a record as a line for people; of a trace, each line is set in."""

    def __init__(self) -> None:
        super().__init__(_TEXT)

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = on_one_line(masked(record.message))
        return super().formatMessage(record)

    @override
    def formatException(self, ei: object) -> str:
        trace = masked(super().formatException(ei))  # type: ignore[arg-type] # as the method of the library takes it
        return "\n".join(f"  | {on_one_line(line)}" for line in trace.split("\n"))


def on_one_line(text: str) -> str:
    """Write control characters so that they are seen and do nothing."""
    return _BREAKS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def formatter(form: str) -> logging.Formatter:
    """Return what writes records as ``json`` or as ``text``."""
    return JsonLines() if form == "json" else TextLines()


def log_as(form: str, level: str = "warning") -> None:
    """Send every record of this process that is of a level or worse to standard error, as ``json`` or as ``text``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
