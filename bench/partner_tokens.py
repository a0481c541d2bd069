"""What checking a partner's token costs, compared with PyJWT's own verification (docs/decisions/partner-sessions.md).

The requests of partners, which their users wait for, are P17 (``partner_rides``).
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jwt

from bench.installation import postgres_database
from bench.table import Ratio, Row, interleaved, print_table, ratio_of, tell
from repaircore.core import Core, build
from repaircore.settings import Settings

_SECRET = "a secret that only a benchmark may know"
_KEY = "k" * 32
_REQUIRED = ["exp", "iat", "iss", "aud", "sub", "jti"]


@contextmanager
def _installation(url: str) -> Iterator[Core]:
    with tempfile.TemporaryDirectory() as state:
        core = build(
            Settings(
                database_url=url,
                secret_key=_SECRET,
                partner_signing_keys=(_KEY,),
                state_folder=Path(state),
            )
        )
        core.upgrade()
        yield core
        core.close()


def _measured(url: str) -> tuple[Ratio, Ratio, Ratio]:
    """Compare checks of one token, and of it the signature and whether its partner is active, with PyJWT's verification."""
    with _installation(url) as core:
        made = core.partners.create("Bench", "test")
        sessions = core.partner_sessions
        token = sessions.open(made.key.public_key).token
        claims = sessions.tokens.read(token)
        if claims is None:
            raise AssertionError("The token that was just signed cannot be read.")

        def verify() -> object:
            return jwt.decode(
                token,
                _KEY,
                algorithms=["HS256"],
                audience="repaircore-partner-test",
                issuer="repaircore",
                options={"require": _REQUIRED},
            )

        verified, checked, read, standing = interleaved(
            verify,
            lambda: sessions.authenticate(token),
            lambda: sessions.tokens.read(token),
            lambda: sessions.statuses.is_open(claims),
            rounds=30,
            times=1000,
        )
    return ratio_of(checked, verified), ratio_of(read, verified), ratio_of(standing, verified)


def _rows_on(name: str, url: str) -> list[Row]:
    whole, read, standing = _measured(url)
    return [
        Row(f"a partner's token checked, {name}", "PyJWT's verification", whole),
        Row(f"of it: its signature and claims, {name}", "PyJWT's verification", read),
        Row(f"of it: whether the partner is active, {name}", "PyJWT's verification", standing),
    ]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found = _rows_on("SQLite", f"sqlite:///{folder}/partners.db")
    with postgres_database() as url:
        if url is None:
            tell("partner_tokens: REPAIRCORE_TEST_POSTGRES_URL names no server")
            return found
        return [*found, *_rows_on("PostgreSQL", url)]


if __name__ == "__main__":
    print_table(rows())
