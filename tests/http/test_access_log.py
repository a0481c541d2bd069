"""The log has one JSON object per line, whatever a message contains."""

import errno
import json
import logging
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from typing_extensions import override
from werkzeug.test import create_environ, run_wsgi_app

from repaircore.kernel.blocking import blocking_forbidden
from repaircore.kernel.callers import Caller, Credential, Environment, PartnerCaller, Role
from repaircore.kernel.metrics import Metric, NullMeter
from repaircore.logs import JsonLines, TextLines
from repaircore_http import access_log
from repaircore_http.access_log import log_requests
from repaircore_http.observations import CALLER, ROUTE, ObservedApp
from repaircore_http.request_ids import REQUEST_ID

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def log_record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    result = logging.LogRecord("repaircore.http", logging.ERROR, __file__, 1, message, args, None)
    result.__dict__.update(extra)
    return result


def test_record_is_one_line_of_json() -> None:
    line = JsonLines().format(log_record("Request %s\nfailed: %s", "r-1", "é\x00", request_id="r-1"))
    assert "\n" not in line
    result = json.loads(line)
    assert result["level"] == "error"
    assert result["logger"] == "repaircore.http"
    assert result["message"] == "Request r-1\nfailed: é\x00"
    assert result["request_id"] == "r-1"
    assert result["time"].endswith("Z")


def test_error_includes_its_trace_on_the_same_line() -> None:
    try:
        json.loads("two\nlines")
    except ValueError:
        failed = log_record("failed", exc_info=sys.exc_info())
    line = JsonLines().format(failed)
    assert "\n" not in line
    assert "JSONDecodeError" in json.loads(line)["error"]


VIN = "1HGCM82633A004352"
FORGED = "all is well\n2026-01-01 ERROR forged\r\x1b[2K\u2028x\x85y"


def failure_record(text: str) -> logging.LogRecord:
    try:
        raise RuntimeError(text)  # noqa: TRY301 - a trace is wanted
    except RuntimeError:
        return log_record("Request %s failed: %s", VIN, text, exc_info=sys.exc_info())


@pytest.mark.parametrize("lines", [JsonLines(), TextLines()])
def test_no_secret_is_logged_even_in_a_trace(lines: logging.Formatter) -> None:
    result = lines.format(failure_record(f"{VIN} of ada@example.org with sk_live_0123456789abcdef"))
    assert not [secret for secret in (VIN, "ada@", "sk_live_0") if secret in result]


def test_line_breaks_in_input_add_no_log_lines() -> None:
    assert len(JsonLines().format(failure_record(FORGED)).splitlines()) == 1
    result = TextLines().format(failure_record(FORGED)).splitlines()
    assert "\\u000a2026-01-01 ERROR forged\\u000d\\u001b[2K\\u2028x\\u0085y" in result[0]
    assert all(line.startswith("  | ") for line in result[1:])


AT = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
ENVIRON = {"REQUEST_METHOD": "POST", "PATH_INFO": f"/{VIN}", "QUERY_STRING": f"plate={VIN}"}
KEY = Caller(
    user_id=7,
    role=Role.USER,
    environment=Environment.LIVE,
    credential=Credential.SECRET,
    key_id=3,
    key_name="Ada's",
)


def log_line(form: str = "json", **environ: Any) -> bytes:
    lines: list[bytes] = []
    notice = log_requests(form, clock=lambda: AT, meter=NullMeter(), write=lines.append)
    notice({**ENVIRON, **environ}, "201", 0.0123456)
    (line,) = lines
    return line


def test_request_line_has_the_route_and_caller_but_not_the_path() -> None:
    fields: dict[str, Any] = {ROUTE: "/api/v1/fleet/<vehicle>", CALLER: KEY, REQUEST_ID: "00f1a2b3c4d5e6f7"}
    assert json.loads(log_line(**fields)) == {
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


def test_partner_and_anonymous_callers_are_distinguished() -> None:
    environ: dict[str, Any] = {CALLER: PartnerCaller(partner_id=5, environment=Environment.TEST)}
    result = json.loads(log_line(**environ))
    assert (result["caller"], result["partner"], result["environment"]) == ("partner", 5, "test")
    result = json.loads(log_line())
    assert (result["caller"], result["route"]) == ("anonymous", "unknown")


@pytest.mark.parametrize("form", ["json", "text"])
def test_request_id_of_the_caller_is_masked(form: str) -> None:
    line = log_line(form, **{REQUEST_ID: VIN})
    assert VIN.encode() not in line
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


class CountingMeter(NullMeter):
    def __init__(self) -> None:
        self.counts: list[str] = []

    @override
    def count(self, measure: Metric, *labels: str) -> None:
        self.counts.append(measure.name)


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EPIPE])
def test_unwritable_line_is_counted_as_lost(reason: int) -> None:
    def write(_line: bytes) -> None:
        raise OSError(reason, os.strerror(reason))

    meter = CountingMeter()
    log_requests("json", clock=lambda: AT, meter=meter, write=write)(ENVIRON, "201", 0.01)
    assert meter.counts == ["log_lines_lost_total"]


def test_failing_observer_does_not_change_the_response(caplog: pytest.LogCaptureFixture) -> None:
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


def test_line_is_not_waited_for_where_blocking_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    monkeypatch.setattr(access_log, "_STANDARD_ERROR", writer)
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while os.write(writer, b"x" * 4096):
            pass
    os.set_blocking(writer, True)
    with pytest.raises(BlockingIOError), blocking_forbidden():
        access_log.to_standard_error(b"late\n")
    os.set_blocking(reader, False)
    with suppress(BlockingIOError):
        while os.read(reader, 65536):
            pass
    with blocking_forbidden():
        access_log.to_standard_error(b"line\n")
    assert os.read(reader, 65536) == b"line\n"
    os.close(reader)
    os.close(writer)
