"""An installation to measure: a database in a folder of its own, users with keys, and a cached answer."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from attrs import frozen

from repaircore.core import Core, build
from repaircore.predictions.model import PredictByVin
from repaircore.settings import Settings

ASK = PredictByVin(
    vin="1HGCV1F34JA123456", zip_code="90210", problem_identifier="brake-pads-front", mileage=72_000
)
_PASSWORD = "correct horse battery"
_LIMIT = "1000000"


@frozen
class Installation:
    """``environ`` is what a server needs; ``keys`` are secret keys; ``logins`` e-mails and passwords."""

    folder: Path
    environ: dict[str, str]
    keys: tuple[str, ...]
    logins: tuple[tuple[str, str], ...]

    @property
    def body(self) -> bytes:
        return json.dumps(
            {
                "vin": ASK.vin,
                "zip_code": ASK.zip_code,
                "problem_identifier": ASK.problem_identifier,
                "mileage": ASK.mileage,
            }
        ).encode()


@contextmanager
def installation(url: str | None = None, *, keys: int = 1, logins: int = 1) -> Iterator[Installation]:
    """Make an installation; ``url`` None is SQLite. The limits are raised, not switched off."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        environ = {
            "REPAIRCORE_DATABASE_URL": url or f"sqlite:///{folder / 'repaircore.db'}",
            "REPAIRCORE_STATE_FOLDER": str(folder / "state"),
            "REPAIRCORE_SECRET_KEY": "a-secret-that-only-benchmarks-may-know",
            "REPAIRCORE_REQUESTS_PER_MINUTE": _LIMIT,
            "REPAIRCORE_PREDICTIONS_PER_MINUTE": _LIMIT,
        }
        core = build(Settings.from_env(environ))
        try:
            core.upgrade()
            users = tuple((f"user{number}@example.org", _PASSWORD) for number in range(logins))
            yield Installation(folder, environ, _keys(core, users, keys), users)
        finally:
            core.close()


def _keys(core: Core, users: tuple[tuple[str, str], ...], number: int) -> tuple[str, ...]:
    for email, password in users:
        core.accounts.create_user(name="Bench", email=email, password=password)
    owner = core.accounts.caller_for(users[0][0])
    return tuple(
        core.accounts.create_key(name=f"key {count}", environment="live", caller=owner).secret_key
        for count in range(number)
    )


@contextmanager
def postgres_database(called: str = "bench") -> Iterator[str | None]:
    """Make a database on the server that REPAIRCORE_TEST_POSTGRES_URL names; None when it names none."""
    server = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not server:
        yield None
        return
    name = f"repaircore_{called}_{os.getpid()}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    try:
        yield sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        admin.dispose()
