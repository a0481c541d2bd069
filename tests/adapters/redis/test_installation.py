"""An installation that counts requests in Redis, with Redis running and stopped."""

from pathlib import Path

import pytest
from tests.conftest import OpenCore
from tests.own_servers import OwnRedis, free_port
from tests.programs import printed

from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.adapters.sql.rate_windows import SqlWindows
from repaircore.checkup.model import CheckResult
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import TooMany

_WITHOUT_THE_PACKAGE = """
import sys
sys.modules["redis"] = None
from repaircore.kernel.errors import Invalid
from repaircore.core import build
from repaircore.settings import Settings
try:
    build(Settings(database_url=sys.argv[1], redis_url="redis://127.0.0.1")).limits
except Invalid as invalid:
    print(invalid.fields)
"""


def window_findings(findings: tuple[CheckResult, ...]) -> list[tuple[str, str, bool]]:
    return [
        (found.name, found.value, found.wrong is None)
        for found in findings
        if found.name.startswith("rate windows")
    ]


def test_requests_are_counted_in_redis_and_still_counted_when_it_stops(
    own_redis: OwnRedis, open_core: OpenCore
) -> None:
    core = open_core(redis_url=own_redis.url, partner_requests_per_minute_test=3)
    other = open_core(redis_url=own_redis.url, partner_requests_per_minute_test=3)
    assert core.limits.count_partner_request(1, Environment.TEST).remaining == 2
    assert other.limits.count_partner_request(1, Environment.TEST).remaining == 1
    own_redis.stop()
    results = [one.limits.count_partner_request(1, Environment.TEST) for one in (core, other, core, other)]
    assert [(one.admitted, one.remaining) for one in results] == [(True, 2), (True, 1), (True, 0), (False, 0)]


def test_every_kind_of_request_is_counted_without_redis(open_core: OpenCore) -> None:
    core = open_core(redis_url=f"redis://127.0.0.1:{free_port()}", login_failures_per_minute=2)
    for _ in range(2):
        core.limits.check_login("ada@example.org", "192.0.2.1")
        core.limits.count_failed_login("ada@example.org", "192.0.2.1")
    with pytest.raises(TooMany):
        core.limits.check_login("ada@example.org", "192.0.2.1")
    assert core.limits.count_anonymous("192.0.2.1").remaining == 99


def test_checkup_reports_where_windows_are_stored_and_whether_it_answers(
    own_redis: OwnRedis, open_core: OpenCore
) -> None:
    core = open_core(redis_url=own_redis.url)
    place = "this machine's files" if core.settings.is_embedded else "the database"
    second = ("rate windows while Redis is lost", place, True)
    first = ("rate windows", f"Redis at {own_redis.url}")
    assert window_findings(core.checkup.examine().findings) == [(*first, True), second]
    own_redis.stop()
    assert window_findings(core.checkup.examine().findings) == [(*first, False), second]


def test_partners_are_counted_in_postgresql_and_keys_locally_without_redis(
    open_core: OpenCore,
) -> None:
    core = open_core()
    files, table = ("rate windows", "this machine's files", True), "the database"
    assert isinstance(core.windows, SharedFileWindows)
    if core.settings.is_embedded:
        assert core.partner_windows is core.windows
        assert window_findings(core.checkup.examine().findings) == [files]
    else:
        assert isinstance(core.partner_windows, SqlWindows)
        assert window_findings(core.checkup.examine().findings) == [
            files,
            ("rate windows of partners", table, True),
        ]
    everything = open_core(rate_windows="database")
    assert isinstance(everything.windows, SqlWindows)
    assert everything.partner_windows is everything.windows
    assert window_findings(everything.checkup.examine().findings) == [("rate windows", table, True)]


def test_redis_url_without_the_package_is_refused(tmp_path: Path) -> None:
    result = printed(_WITHOUT_THE_PACKAGE, f"sqlite:///{tmp_path}/none.db")
    assert "REPAIRCORE_REDIS_URL" in result
    assert "pip install 'repaircore[redis]'" in result
