"""Which repairs follow a repair: how often another one comes within sixty days on the same car.

    P(b|a) = (n_ab + 20·P(b)) / (n_a + 20)

``n_a`` counts the times that a was done and the sixty days after it have passed, ``n_ab`` those that b followed in;
P(b) is how often b comes within sixty days of any other repair. What is done on the same day belongs to the same visit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from statistics import median
from typing import Final, NamedTuple

from attrs import frozen

WITHIN_DAYS: Final = 60
LEANS_ON: Final = 20
"""What is usual after any repair counts as so many times that a repair was seen."""

_LEAST_SUPPORT: Final = 5
_LEAST_LIFT: Final = 1.3
_WITHIN: Final = timedelta(days=WITHIN_DAYS)


class RepairDone(NamedTuple):
    """A repair that was done on a day; a plain tuple, for there may be many."""

    day: date
    problem_id: int


Trail = Sequence[RepairDone]
"""What was done to one car, in the order of the days."""


@frozen(kw_only=True)
class FollowUp:
    """A repair that follows another.

    ``probability`` is 0 to 1, ``lift`` how many times likelier than after any repair. ``support`` counts how often
    it was seen to follow, ``days`` is the middle delay.
    """

    problem_id: int
    probability: float
    lift: float
    support: int
    days: int


@frozen(kw_only=True)
class SequenceCounts:
    """What was counted in some trails: how often each repair was done, and what followed it after how many days."""

    done: Counter[int]
    followed: dict[int, dict[int, list[int]]]

    def share_followed_by(self, problem_id: int) -> float:
        """Give the share of the other repairs that this one followed."""
        others = self.done.total() - self.done[problem_id]
        followed = sum(
            len(after.get(problem_id, ())) for other, after in self.followed.items() if other != problem_id
        )
        return followed / others if others else 0.0


def read_trails(trails: Iterable[Trail], *, until: date) -> SequenceCounts:
    """Count what follows what; a repair whose sixty days are not over ``until`` is only seen to follow."""
    done: Counter[int] = Counter()
    followed: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for trail in trails:
        for place, one in enumerate(trail):
            if one.day + _WITHIN > until:
                break
            done[one.problem_id] += 1
            for problem_id, days in _first_of_each(_after(trail, place)):
                followed[one.problem_id][problem_id].append(days)
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
    problem_id: int, of_it: SequenceCounts, of_any: SequenceCounts, *, most: int = 10
) -> Sequence[FollowUp]:
    """List what follows a repair, the likeliest first; its own return is another question.

    ``of_it`` were counted on cars that had the repair, ``of_any`` on cars as they come.
    """
    times = of_it.done[problem_id]
    found = [
        _follow_up(other, delays, times, of_any.share_followed_by(other))
        for other, delays in of_it.followed.get(problem_id, {}).items()
        if other != problem_id and len(delays) >= _LEAST_SUPPORT
    ]
    telling = [one for one in found if one.lift > _LEAST_LIFT]
    return sorted(telling, key=lambda one: (-one.probability, one.problem_id))[:most]


def _follow_up(problem_id: int, delays: Sequence[int], times: int, usual: float) -> FollowUp:
    probability = (len(delays) + LEANS_ON * usual) / (times + LEANS_ON)
    return FollowUp(
        problem_id=problem_id,
        probability=probability,
        # Never seen after any other repair: as rare as could have been missed.
        lift=probability / usual if usual else probability * (times + LEANS_ON),
        support=len(delays),
        days=round(median(delays)),
    )
