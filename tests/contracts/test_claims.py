"""The contract of the port ``Claims``, on both databases."""

import os
from datetime import timedelta

from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once
from tests.writes import rows

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.claims import SqlClaims, is_alive, this_process
from repaircore.kernel.callers import Environment
from repaircore.predictions.model import Question

QUESTION = Question(
    environment=Environment.LIVE,
    vehicle_key="1HGCM82633A",
    problem_id=101,
    zip_code="90210",
    mileage_band=None,
)


def test_claim_is_exclusive_until_released(driver: Driver) -> None:
    claims = SqlClaims(driver)
    owner = claims.acquire(QUESTION, now=NOW, seconds=9)
    assert owner is not None
    assert claims.acquire(QUESTION, now=NOW, seconds=9) is None
    claims.release(QUESTION, owner)
    assert claims.acquire(QUESTION, now=NOW, seconds=9) is not None


def test_other_questions_can_be_claimed(driver: Driver) -> None:
    claims = SqlClaims(driver)
    others = [
        evolve(QUESTION, environment=Environment.TEST),
        evolve(QUESTION, vehicle_key="1HGCM82643A"),
        evolve(QUESTION, problem_id=102),
        evolve(QUESTION, zip_code="90211"),
        evolve(QUESTION, mileage_band=0),
    ]
    assert all(claims.acquire(one, now=NOW, seconds=9) for one in [QUESTION, *others])


def test_release_by_a_former_owner_is_ignored(driver: Driver) -> None:
    claims = SqlClaims(driver)
    first = claims.acquire(QUESTION, now=NOW, seconds=9)
    assert first is not None
    late = NOW + timedelta(seconds=9)
    second = claims.acquire(QUESTION, now=late, seconds=9)
    assert second is not None
    claims.release(QUESTION, first)
    assert claims.acquire(QUESTION, now=late, seconds=9) is None


def test_claim_expires_after_its_seconds(driver: Driver) -> None:
    claims = SqlClaims(driver)
    claims.acquire(QUESTION, now=NOW, seconds=9)
    assert claims.acquire(QUESTION, now=NOW + timedelta(seconds=8.999), seconds=9) is None
    assert claims.acquire(QUESTION, now=NOW + timedelta(seconds=9), seconds=9) is not None


def test_claim_from_a_clock_an_hour_ahead_is_ignored(driver: Driver) -> None:
    claims = SqlClaims(driver)
    claims.acquire(QUESTION, now=NOW + timedelta(hours=1), seconds=9)
    assert claims.acquire(QUESTION, now=NOW, seconds=9) is not None
    assert claims.acquire(QUESTION, now=NOW + timedelta(seconds=1), seconds=9) is None


def test_acquire_deletes_expired_claims(driver: Driver, database_url: str) -> None:
    claims = SqlClaims(driver)
    for band in range(3):
        claims.acquire(evolve(QUESTION, mileage_band=band), now=NOW, seconds=9)
    assert rows(database_url)["computations"] == 3
    for band in range(3, 6):
        claims.acquire(evolve(QUESTION, mileage_band=band), now=NOW + timedelta(seconds=9), seconds=9)
    assert rows(database_url)["computations"] == 3


def test_claim_of_a_dead_process_can_be_acquired(driver: Driver) -> None:
    SqlClaims(driver).acquire(QUESTION, now=NOW, seconds=9)
    assert SqlClaims(driver, alive=lambda _: True).acquire(QUESTION, now=NOW, seconds=9) is None
    assert SqlClaims(driver, alive=lambda _: False).acquire(QUESTION, now=NOW, seconds=9) is not None


def test_one_of_many_concurrent_callers_gets_the_claim(driver: Driver) -> None:
    claims = SqlClaims(driver)

    def take() -> str | None:
        return claims.acquire(QUESTION, now=NOW, seconds=9)

    assert len([owner for owner in at_once(8, take) if owner is not None]) == 1


def test_one_of_many_callers_takes_over_a_dead_claim(driver: Driver) -> None:
    SqlClaims(driver).acquire(QUESTION, now=NOW, seconds=9)
    dead = this_process()

    class FirstOwnerDead:
        """Reports the first owner as dead and later ones as alive."""

        def __init__(self) -> None:
            self.first = driver.fetch_one("SELECT owner FROM computations", ())

        def alive(self, process: str) -> bool:
            assert process == dead
            return driver.fetch_one("SELECT owner FROM computations", ()) != self.first

    claims = SqlClaims(driver, alive=FirstOwnerDead().alive)
    owners = at_once(8, lambda: claims.acquire(QUESTION, now=NOW, seconds=9))
    assert len([owner for owner in owners if owner is not None]) == 1
    assert claims.acquire(QUESTION, now=NOW, seconds=9) is None


def test_process_is_identified_by_pid_and_start_time() -> None:
    host, pid, started = this_process().rsplit(" ", 2)
    assert int(pid) == os.getpid()
    assert is_alive(f"{host} {pid} {started}")
    assert not is_alive(f"{host} {pid} {int(started) + 1}")
    assert not is_alive(f"{host} {2**22 + 1} {started}")
    assert is_alive(f"elsewhere {pid} {int(started) + 1}")
