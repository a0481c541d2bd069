"""A database that is lost between two requests: every answer says when to retry."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.http.partners import PREFIX, PartnerApp
from tests.http.people import bearer
from typing_extensions import override

from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.core import Core
from repaircore.kernel.errors import Unavailable
from repaircore_http.routes import GuardedRule
from repaircore_http.service import serve_core

CUSTOMER = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.com", "phone": "+12025550123"}


class LostStorage(Storage):
    """A database from which only credentials can still be read."""

    @override
    @contextmanager
    def transaction(self) -> Iterator[SqlWork]:
        raise Unavailable("The database is not responding.")
        yield

    @override
    @contextmanager
    def read(self) -> Iterator[SqlWork]:
        raise Unavailable("The database is not responding.")
        yield


@pytest.fixture
def lost(core: Core) -> Iterator[Core]:
    fresh = Core(core.settings, clock=core.clock, new_id=core.new_id)
    without_storage = fresh.replacing(storage=LostStorage(core.settings.url))
    yield without_storage
    without_storage.close()


def test_every_partner_operation_says_when_to_retry(lost: Core, partner: PartnerApp) -> None:
    app = serve_core(lost)
    client, answers = app.test_client(), Counter[int]()
    for rule in app.url_map.iter_rules():
        if not isinstance(rule, GuardedRule) or not rule.rule.startswith(PREFIX):
            continue
        path = rule.rule
        for name in rule.arguments:
            path = path.replace(path[path.index("<") : path.index(">") + 1], f"{name}_1", 1)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            answer = client.open(path, method=method, headers=bearer(partner.token), json={})
            answers[answer.status_code] += 1
            if answer.status_code >= 500:
                assert answer.status_code == 503, (method, path)
                assert answer.headers["Retry-After"] == "5", (method, path)
                assert answer.get_json()["error"]["code"] == "SERVICE_UNAVAILABLE"

    assert answers[503] >= 20


def test_create_with_an_idempotency_key_says_when_to_retry(lost: Core, partner: PartnerApp) -> None:
    client = serve_core(lost).test_client()
    headers = {**bearer(partner.token), "Idempotency-Key": "one"}
    answer = client.post(f"{PREFIX}/customers", json=CUSTOMER, headers=headers)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
