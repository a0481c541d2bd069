"""The invariants of a history, whatever was killed meanwhile.

Each record is written by one application, one request after the other, so the order of its states is known. A read may
see the last write acknowledged before it began, or one in flight before it ended: the
register of J. Herlihy and J. Wing, "Linearizability" (1990), with one writer.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.soak.history import Call

_OK = range(200, 300)
_REFUSED = frozenset({409, 429})
_UNAVAILABLE = 503


def violations(calls: Sequence[Call], stored: Mapping[str, str]) -> list[str]:
    """Return the broken invariants; ``stored`` has the final state of each record."""
    writes = defaultdict[str, list[Call]](list)
    for call in sorted(calls, key=lambda one: one.ended):
        if call.is_write and call.subject is not None:
            writes[call.subject].append(call)
    return [
        *_unexpected_answers(calls),
        *_duplicated(calls),
        *_lost(writes, stored),
        *_stale(calls, writes),
    ]


def _unexpected_answers(calls: Iterable[Call]) -> Iterator[str]:
    for call in calls:
        if call.status == _UNAVAILABLE:
            if not call.is_retry_said:
                yield f"{call.what} was answered 503 and not when to ask again"
        elif call.status not in _OK and call.status not in _REFUSED:
            yield f"{call.what} was answered {call.status}"


def _duplicated(calls: Iterable[Call]) -> Iterator[str]:
    """Yield the keys that created two records, or were executed twice."""
    subjects = defaultdict[str, set[str | None]](set)
    for call in calls:
        if call.key is not None and call.status in _OK:
            subjects[call.key].add(call.subject)
    yield from (
        f"{key} made {sorted(map(str, calls_made))}"
        for key, calls_made in subjects.items()
        if len(calls_made) > 1
    )


def _lost(writes: Mapping[str, Sequence[Call]], stored: Mapping[str, str]) -> Iterator[str]:
    for subject, calls_made in writes.items():
        last = calls_made[-1].state
        if stored.get(subject) != last:
            yield f"{subject} was acknowledged as {last}, and is {stored.get(subject)}"


def _stale(calls: Iterable[Call], writes: Mapping[str, Sequence[Call]]) -> Iterator[str]:
    ends = {subject: [one.ended for one in calls_made] for subject, calls_made in writes.items()}
    for call in calls:
        if call.is_write or call.subject is None or call.status not in _OK:
            continue
        calls_made = writes.get(call.subject, ())
        before = bisect_left(ends.get(call.subject, []), call.begun)
        possible = {one.state for one in calls_made[max(0, before - 1) :] if one.begun < call.ended}
        if call.state not in possible:
            yield f"{call.subject} was read as {call.state}, and could be {sorted(map(str, possible))}"
