"""What an idempotency key costs: a customer made known with a key, against the same without (in process, over HTTP's door)."""

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from bench.installation import postgres_database
from bench.table import Row, interleaved, print_table, ratio_of, tell
from repaircore.core import build
from repaircore.settings import Settings
from repaircore_http.service import serve_core

_PATH = "/api/v1/partner/customers"


def _rows_on(name: str, url: str, folder: Path) -> list[Row]:
    core = build(
        Settings(
            database_url=url,
            secret_key="a secret that only a benchmark may know",
            state_folder=folder,
            partner_requests_per_minute_live=100_000,
        )
    )
    core.upgrade()
    client = serve_core(core).test_client()
    made = core.partners.create("Bench", "live")
    token = core.partner_sessions.open(made.key.public_key).token
    headers = {"Authorization": f"Bearer {token}"}
    numbers = count()

    def create(named: Callable[[int], dict[str, str]]) -> Callable[[], None]:
        def ask() -> None:
            number = next(numbers)
            body = {
                "first_name": "Bo",
                "last_name": "Diaz",
                "email": f"bo{number}@example.com",
                "phone": f"+1212{2_000_000 + number:07}",
            }
            answer = client.post(_PATH, json=body, headers={**headers, **named(number)})
            assert answer.status_code == 201, answer.text

        return ask

    known = {"first_name": "Bo", "last_name": "Diaz", "email": "bo@example.com", "phone": "+12129999999"}

    def again() -> None:
        repeated = {**headers, "Idempotency-Key": "again"}
        assert client.post(_PATH, json=known, headers=repeated).status_code == 201

    plain, keyed, repeated = interleaved(
        create(lambda _: {}),
        create(lambda number: {"Idempotency-Key": f"request {number}"}),
        again,
        rounds=20,
        times=20,
    )
    core.close()
    yardstick = "the same without a key"
    return [
        Row(f"a customer made known under a key, {name}", yardstick, ratio_of(keyed, plain), 1.3),
        Row(f"the answer given again, {name}", yardstick, ratio_of(repeated, plain), 1),
    ]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        found = _rows_on("SQLite", f"sqlite:///{name}/partners.db", Path(name))
        with postgres_database() as url:
            if url is None:
                tell("idempotency: REPAIRCORE_TEST_POSTGRES_URL names no server")
                return found
            return [*found, *_rows_on("PostgreSQL", url, Path(name) / "state")]


if __name__ == "__main__":
    print_table(rows())
