"""Prepared statements through libpq: parameters and results."""

import psycopg
import pytest

from repaircore.adapters.fast_path.driver import driver_of

pytestmark = pytest.mark.postgres


def test_values_of_every_type_are_returned_unchanged(postgres_url: str) -> None:
    driver = driver_of(postgres_url)
    sql = "SELECT ?::bigint, ?::text, ?::float8, NULL::text, ?::bytea = ?, true"
    given = (2**62, "Ä ' \\ ?", 1.5, b"\x00\xff", b"\x00\xff")
    for _ in range(2):
        assert driver.fetch_one(sql, given) == (2**62, "Ä ' \\ ?", 1.5, None, True, True)
    driver.close()


def test_null_parameter_is_refused(postgres_url: str) -> None:
    driver = driver_of(postgres_url)
    with pytest.raises(TypeError):
        driver.fetch_one("SELECT ?::text", (None,))
    driver.close()


def test_nul_in_a_text_is_refused_and_not_truncated(postgres_url: str) -> None:
    driver = driver_of(postgres_url)
    with pytest.raises(psycopg.DataError):
        driver.fetch_one("SELECT ?::text", ("a\x00b",))
    assert driver.fetch_one("SELECT ?::text", ("ab",)) == ("ab",)
    driver.close()


def test_refused_statement_leaves_the_connection_usable(postgres_url: str) -> None:
    driver = driver_of(postgres_url)
    with pytest.raises(psycopg.errors.DivisionByZero):
        driver.fetch_one("SELECT 1 / ?::int", (0,))
    assert driver.fetch_one("SELECT 1 / ?::int", (1,)) == (1,)
    driver.close()
