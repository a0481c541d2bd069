"""Find which repairs follow a repair: how often another one is done within 60 days on the same car.

    P(b|a) = (n_ab + 20·P(b)) / (n_a + 20)

``n_a`` counts the repairs a whose 60 days are over, and ``n_ab`` those that b followed; P(b) is how often b comes
within 60 days after any other repair. Repairs on the same day belong to the same visit and do not follow each other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from statistics import median
from typing import Final, NamedTuple

from attrs import frozen

WITHIN_DAYS: Final = 60
PRIOR_COUNT: Final = 20
"""The share after any repair (the prior) counts as this many observations."""

_LEAST_SUPPORT: Final = 5
_LEAST_LIFT: Final = 1.3
_WITHIN: Final = timedelta(days=WITHIN_DAYS)


class RepairDone(NamedTuple):
    """A repair done on a day. It is a plain tuple because there may be many."""

    day: date
    problem_id: int


Trail = Sequence[RepairDone]
"""The repairs of one car, ordered by day."""


@frozen(kw_only=True)
class FollowUp:
    """A repair that follows another.

    ``probability`` is 0 to 1, and ``lift`` is how many times likelier it is than after any other repair. ``support`` is
    how many times it followed, and ``days`` the median delay.
    """

    problem_id: int
    probability: float
    lift: float
    support: int
    days: int


@frozen(kw_only=True)
class SequenceCounts:
    """How often each repair was done, and which repairs followed it after how many days."""

    done: Counter[int]
    followed: dict[int, dict[int, list[int]]]

    def share_followed_by(self, problem_id: int) -> float:
        """Return the share (0 to 1) of all other repairs that this one followed."""
        others = self.done.total() - self.done[problem_id]
        followed = sum(
            len(after.get(problem_id, ())) for other, after in self.followed.items() if other != problem_id
        )
        return followed / others if others else 0.0


def count_sequences(trails: Iterable[Trail], *, until: date) -> SequenceCounts:
    """Count repairs and their follow-ups; a repair less than 60 days before ``until`` counts only as a follow-up."""
    done: Counter[int] = Counter()
    followed: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for trail in trails:
        for place, repair in enumerate(trail):
            if repair.day + _WITHIN > until:
                break
            done[repair.problem_id] += 1
            for problem_id, days in _first_of_each(_after(trail, place)):
                followed[repair.problem_id][problem_id].append(days)
    return SequenceCounts(done=done, followed={a: dict(after) for a, after in followed.items()})


def _after(trail: Trail, place: int) -> Iterator[tuple[int, int]]:
    start = trail[place].day
    for later in trail[place + 1 :]:
        days = (later.day - start).days
        if days > WITHIN_DAYS:
            return
        if days > 0:
            yield later.problem_id, days


def _first_of_each(after: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    first: dict[int, int] = {}
    for problem_id, days in after:
        first.setdefault(problem_id, days)
    return first.items()


def follow_ups(
    problem_id: int, counts: SequenceCounts, usual: SequenceCounts, *, most: int = 10
) -> Sequence[FollowUp]:
    """Return the repairs that follow a repair, most likely first, excluding its own recurrence.

    ``counts`` covers the cars that had the repair, and ``usual`` a random sample of all cars.
    """
    times = counts.done[problem_id]
    found = [
        _follow_up(other, delays, times, usual.share_followed_by(other))
        for other, delays in counts.followed.get(problem_id, {}).items()
        if other != problem_id and len(delays) >= _LEAST_SUPPORT
    ]
    significant = [follow_up for follow_up in found if follow_up.lift > _LEAST_LIFT]
    return sorted(significant, key=lambda follow_up: (-follow_up.probability, follow_up.problem_id))[:most]


def _follow_up(problem_id: int, delays: Sequence[int], times: int, usual: float) -> FollowUp:
    probability = (len(delays) + PRIOR_COUNT * usual) / (times + PRIOR_COUNT)
    return FollowUp(
        problem_id=problem_id,
        probability=probability,
        # It never followed another repair: assume the lowest share that the sample could show.
        lift=probability / usual if usual else probability * (times + PRIOR_COUNT),
        support=len(delays),
        days=round(median(delays)),
    )
