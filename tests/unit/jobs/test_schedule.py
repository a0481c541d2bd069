"""When a job is due, and who holds its lease."""

from datetime import UTC, datetime, time, timedelta

import pytest
from attrs import evolve

from repaircore.jobs.model import Job, JobLease, JobProcess, Queue
from repaircore.jobs.schedule import (
    IDLE,
    LEASE,
    RETRY_AFTER,
    is_due,
    is_held,
    is_running_jobs,
    latest_at,
    should_run,
    status_of,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOURLY = Job(name="hourly", run=dict, every=timedelta(hours=1))
NIGHTLY = Job(name="nightly", run=dict, at=time(3))
QUEUED = Job(name="queued", run=dict, every=timedelta(seconds=5), queues=frozenset({Queue.TASKS}))


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
    sharp = NOW.replace(hour=3, minute=0, second=0)
    assert not is_due(NIGHTLY, JobLease(name="nightly", done_at=sharp), sharp + timedelta(hours=23))
    assert is_due(NIGHTLY, JobLease(name="nightly", done_at=sharp), sharp + timedelta(hours=24))


def test_failed_job_is_retried_soon() -> None:
    failed = JobLease(name="nightly", done_at=NOW, failure="no")

    assert not is_due(NIGHTLY, failed, NOW + RETRY_AFTER - timedelta(seconds=1))
    assert is_due(NIGHTLY, failed, NOW + RETRY_AFTER)


def test_clock_set_back_stops_no_job() -> None:
    tomorrow = NOW + timedelta(days=1)

    assert is_due(HOURLY, JobLease(name="hourly", done_at=tomorrow), NOW)
    assert not is_due(HOURLY, JobLease(name="hourly", done_at=NOW), NOW)
    assert should_run(QUEUED, JobLease(name="queued", done_at=tomorrow), NOW, ())
    assert not should_run(QUEUED, JobLease(name="queued", done_at=NOW), NOW, {Queue.TASKS})
    assert not is_held(JobLease(name="hourly", holder="x", held_until=tomorrow), NOW)


@pytest.mark.parametrize(
    ("done_ago", "is_running", "is_late"),
    [
        (timedelta(minutes=70), False, False),
        (timedelta(minutes=70, microseconds=1), False, True),
        (timedelta(minutes=70, microseconds=1), True, False),
        (None, False, False),
    ],
)
def test_job_is_late_ten_minutes_after_it_was_due(
    *, done_ago: timedelta | None, is_running: bool, is_late: bool
) -> None:
    lease = JobLease(name="hourly", done_at=None if done_ago is None else NOW - done_ago)
    status = status_of(HOURLY, lease, NOW, is_running=is_running)

    assert status.is_late is is_late
    assert status.due_at == (None if done_ago is None else NOW - done_ago + timedelta(hours=1))


@pytest.mark.parametrize(
    ("seen_ago", "expected"),
    [
        (timedelta(hours=-1), True),
        (timedelta(minutes=3), True),
        (timedelta(minutes=3, microseconds=1), False),
    ],
    ids=["before the clock was set back", "just", "too long"],
)
def test_process_runs_jobs_if_it_was_seen_in_the_last_three_minutes(
    *, seen_ago: timedelta, expected: bool
) -> None:
    process = JobProcess(holder="x", started_at=NOW - timedelta(days=1), seen_at=NOW - seen_ago)

    assert is_running_jobs(process, NOW) is expected


def test_job_with_empty_queues_that_failed_is_retried_no_earlier_than_an_idle_one() -> None:
    assert latest_at(QUEUED, NOW, None) == NOW + IDLE
    assert latest_at(evolve(QUEUED, every=2 * IDLE), NOW, None) == NOW + 2 * IDLE
    assert latest_at(HOURLY, NOW, "no") == NOW + RETRY_AFTER


def test_lease_expires() -> None:
    lease = JobLease(name="hourly", holder="x", held_until=NOW + LEASE)

    assert is_held(lease, NOW)
    assert not is_held(lease, NOW + LEASE)
    assert not is_held(JobLease(name="hourly"), NOW)
