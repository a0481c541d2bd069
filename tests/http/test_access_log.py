"""The log is one JSON object a line, whatever a message holds."""

import errno
import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from typing_extensions import override
from werkzeug.test import create_environ, run_wsgi_app

from repaircore.kernel.callers import Caller, Credential, Environment, PartnerCaller, Role
from repaircore.kernel.metrics import Metric, NullMeter
from repaircore.logs import JsonLines, TextLines
from repaircore_http.access_log import log_requests
from repaircore_http.observations import CALLER, ROUTE, ObservedApp
from repaircore_http.request_ids import REQUEST_ID

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("repaircore.http", logging.ERROR, __file__, 1, message, args, None)
    made.__dict__.update(extra)
    return made


def test_record_is_one_line_of_json() -> None:
    line = JsonLines().format(record("Request %s\nfailed: %s", "r-1", "é\x00", request_id="r-1"))
    assert "\n" not in line
    result = json.loads(line)
    assert result["level"] == "error"
    assert result["logger"] == "repaircore.http"
    assert result["message"] == "Request r-1\nfailed: é\x00"
    assert result["request_id"] == "r-1"
    assert result["time"].endswith("Z")


def test_error_brings_its_trace_on_the_same_line() -> None:
    try:
        json.loads("two\nlines")
    except ValueError:
        failed = record("failed", exc_info=sys.exc_info())
    line = JsonLines().format(failed)
    assert "\n" not in line
    assert "JSONDecodeError" in json.loads(line)["error"]


VIN = "1HGCM82633A004352"
FORGED = "all is well\n2026-01-01 ERROR forged\r\x1b[2K\u2028x\x85y"


def failed(text: str) -> logging.LogRecord:
    try:
        raise RuntimeError(text)  # noqa: TRY301 - a trace is wanted
    except RuntimeError:
        return record("Request %s failed: %s", VIN, text, exc_info=sys.exc_info())


@pytest.mark.parametrize("lines", [JsonLines(), TextLines()])
def test_no_secret_is_written_not_even_in_a_trace(lines: logging.Formatter) -> None:
    result = lines.format(failed(f"{VIN} of ada@example.org with sk_live_0123456789abcdef"))
    assert not [secret for secret in (VIN, "ada@", "sk_live_0") if secret in result]


def test_whoever_sends_a_line_break_writes_no_line() -> None:
    assert len(JsonLines().format(failed(FORGED)).splitlines()) == 1
    result = TextLines().format(failed(FORGED)).splitlines()
    assert "\\u000a2026-01-01 ERROR forged\\u000d\\u001b[2K\\u2028x\\u0085y" in result[0]
    assert all(line.startswith("  | ") for line in result[1:])


AT = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
ASKED = {"REQUEST_METHOD": "POST", "PATH_INFO": f"/{VIN}", "QUERY_STRING": f"plate={VIN}"}
KEY = Caller(
    user_id=7,
    role=Role.USER,
    environment=Environment.LIVE,
    credential=Credential.SECRET,
    key_id=3,
    key_name="Ada's",
)


def line_of(form: str = "json", **environ: Any) -> bytes:
    written: list[bytes] = []
    notice = log_requests(form, clock=lambda: AT, meter=NullMeter(), write=written.append)
    notice({**ASKED, **environ}, "201", 0.0123456)
    (line,) = written
    return line


def test_request_is_one_line_that_names_its_route_and_caller_never_its_address() -> None:
    fields: dict[str, Any] = {ROUTE: "/api/v1/fleet/<vehicle>", CALLER: KEY, REQUEST_ID: "00f1a2b3c4d5e6f7"}
    assert json.loads(line_of(**fields)) == {
        "time": "2026-01-31T12:00:00.250Z",
        "level": "info",
        "logger": "repaircore.requests",
        "request_id": "00f1a2b3c4d5e6f7",
        "method": "POST",
        "route": "/api/v1/fleet/<vehicle>",
        "status": 201,
        "milliseconds": 12.346,
        "caller": "secret",
        "user": 7,
        "environment": "live",
        "key": 3,
    }


def test_partner_and_a_stranger_are_told_apart() -> None:
    asked: dict[str, Any] = {CALLER: PartnerCaller(partner_id=5, environment=Environment.TEST)}
    result = json.loads(line_of(**asked))
    assert (result["caller"], result["partner"], result["environment"]) == ("partner", 5, "test")
    result = json.loads(line_of())
    assert (result["caller"], result["route"]) == ("anonymous", "unknown")


@pytest.mark.parametrize("form", ["json", "text"])
def test_name_of_the_callers_own_is_masked_as_well(form: str) -> None:
    line = line_of(form, **{REQUEST_ID: VIN})
    assert VIN.encode() not in line
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


class Tally(NullMeter):
    def __init__(self) -> None:
        self.counted: list[str] = []

    @override
    def count(self, measure: Metric, *labels: str) -> None:
        self.counted.append(measure.name)


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EPIPE])
def test_line_that_cannot_be_written_is_lost_and_counted(reason: int) -> None:
    def write(_line: bytes) -> None:
        raise OSError(reason, os.strerror(reason))

    tally = Tally()
    log_requests("json", clock=lambda: AT, meter=tally, write=write)(ASKED, "201", 0.01)
    assert tally.counted == ["log_lines_lost_total"]


def test_who_is_told_of_a_request_cannot_change_its_answer(caplog: pytest.LogCaptureFixture) -> None:
    results = []

    def broken(_environ: "WSGIEnvironment", _status: str, _seconds: float) -> None:
        raise RuntimeError("The figures are lost.")

    def inner(_environ: "WSGIEnvironment", start: "StartResponse") -> list[bytes]:
        start("201 CREATED", [])
        return [b"made"]

    app = ObservedApp(inner, [broken, lambda _environ, status, _seconds: results.append(status)])
    body, status, _ = run_wsgi_app(app, create_environ())
    assert (b"".join(body), status, results) == (b"made", "201 CREATED", ["201"])
    assert "The figures are lost." in caplog.text
