"""The log is one JSON object a line, whatever a message holds."""

import json
import logging
import sys

from repaircore.logs import JsonLines


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("repaircore.http", logging.ERROR, __file__, 1, message, args, None)
    made.__dict__.update(extra)
    return made


def test_a_record_is_one_line_of_json() -> None:
    line = JsonLines().format(record("Request %s\nfailed: %s", "r-1", "é\x00", request_id="r-1"))
    assert "\n" not in line
    told = json.loads(line)
    assert told["level"] == "error"
    assert told["logger"] == "repaircore.http"
    assert told["message"] == "Request r-1\nfailed: é\x00"
    assert told["request_id"] == "r-1"
    assert told["time"].endswith("Z")


def test_an_error_brings_its_trace_on_the_same_line() -> None:
    try:
        json.loads("two\nlines")
    except ValueError:
        failed = record("failed", exc_info=sys.exc_info())
    line = JsonLines().format(failed)
    assert "\n" not in line
    assert "JSONDecodeError" in json.loads(line)["error"]
