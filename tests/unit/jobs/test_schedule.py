"""When a job is due, and who holds its lease."""

from datetime import UTC, datetime, time, timedelta

from repaircore.jobs.model import Job, JobLease
from repaircore.jobs.schedule import LEASE, RETRY_AFTER, is_due, is_held

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOURLY = Job(name="hourly", run=dict, every=timedelta(hours=1))
NIGHTLY = Job(name="nightly", run=dict, at=time(3))


def test_job_that_never_ran_is_due() -> None:
    assert is_due(HOURLY, JobLease(name="hourly"), NOW)


def test_job_is_due_when_its_time_has_passed() -> None:
    lease = JobLease(name="hourly", done_at=NOW)

    assert not is_due(HOURLY, lease, NOW + timedelta(minutes=59))
    assert is_due(HOURLY, lease, NOW + timedelta(hours=1))


def test_nightly_job_runs_once_a_night() -> None:
    assert not is_due(NIGHTLY, JobLease(name="nightly", done_at=NOW), NOW + timedelta(hours=23))
    assert is_due(NIGHTLY, JobLease(name="nightly", done_at=NOW), NOW + timedelta(hours=24))
    evening = NOW.replace(hour=20)
    assert not is_due(NIGHTLY, JobLease(name="nightly", done_at=evening), evening + timedelta(hours=6))
    assert is_due(NIGHTLY, JobLease(name="nightly", done_at=evening), evening + timedelta(hours=7))
    early = NOW.replace(hour=1)

    assert is_due(NIGHTLY, JobLease(name="nightly", done_at=early), NOW)


def test_failed_job_is_retried_soon() -> None:
    failed = JobLease(name="nightly", done_at=NOW, failure="no")

    assert not is_due(NIGHTLY, failed, NOW + RETRY_AFTER - timedelta(seconds=1))
    assert is_due(NIGHTLY, failed, NOW + RETRY_AFTER)


def test_clock_set_back_stops_no_job() -> None:
    tomorrow = NOW + timedelta(days=1)

    assert is_due(HOURLY, JobLease(name="hourly", done_at=tomorrow), NOW)
    assert not is_held(JobLease(name="hourly", holder="x", held_until=tomorrow), NOW)


def test_lease_expires() -> None:
    lease = JobLease(name="hourly", holder="x", held_until=NOW + LEASE)

    assert is_held(lease, NOW)
    assert not is_held(lease, NOW + LEASE)
    assert not is_held(JobLease(name="hourly"), NOW)
