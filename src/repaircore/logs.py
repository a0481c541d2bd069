"""The log of a server process: one JSON object per line, or plain text.

Every record is masked (``masking``), and control characters are escaped to prevent log injection. Only a traceback in
plain text takes more than one line.
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
"""Libraries whose records contain URLs of external services."""

_BREAKS: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that some programs treat as line breaks, or that control a terminal."""
_BEYOND_JSON: Final = re.compile("[\x7f-\x9f\u2028\u2029]")


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object: time (UTC), level, logger, message, request_id, error."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": masked(record.getMessage()),
        }
        if (request_id := getattr(record, "request_id", None)) is not None:
            fields["request_id"] = masked(str(request_id))
        if record.exc_info:
            fields["error"] = masked(self.formatException(record.exc_info))
        return _BEYOND_JSON.sub(_escaped, encode_text(fields))


class TextLines(logging.Formatter):
    """Formats a record as one line of text, followed by the indented lines of its traceback, if any."""

    def __init__(self) -> None:
        super().__init__(_TEXT)

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = on_one_line(masked(record.message))
        return super().formatMessage(record)

    @override
    def formatException(self, ei: object) -> str:
        trace = masked(super().formatException(ei))  # type: ignore[arg-type] # the library types it as exc_info
        return "\n".join(f"  | {on_one_line(line)}" for line in trace.split("\n"))


def on_one_line(text: str) -> str:
    """Escape line breaks and control characters."""
    return _BREAKS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def formatter(form: str) -> logging.Formatter:
    """Return the formatter for ``json`` or ``text``."""
    return JsonLines() if form == "json" else TextLines()


def configure_logging(form: str, level: str = "warning") -> None:
    """Log to standard error at ``level`` and above, in the format ``json`` or ``text``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
