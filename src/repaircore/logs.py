"""What a process that serves writes to its log: one JSON object a line, or plain text for people."""

import json
import logging
import sys
import time
from typing import Final

from typing_extensions import override

__all__ = ["JsonLines", "log_as"]

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s %(message)s"
_QUIET: Final = ("httpx", "httpcore")
"""Libraries whose notes name addresses of outside parties."""


class JsonLines(logging.Formatter):
    """Write a record as one JSON object: time (UTC), level, logger, message, request_id, error."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (request_id := getattr(record, "request_id", None)) is not None:
            told["request_id"] = request_id
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def log_as(form: str) -> None:
    """Send every warning and worse of this process to standard error, as ``json`` or as ``text``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
