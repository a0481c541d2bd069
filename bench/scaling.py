"""How far it goes: a small simulation of machines, workers and a database, up to a thousand requests a second.

    python -m bench.scaling [--milliseconds 1.2] [--cores 2]

Requests arrive at random; each waits for a thread of a worker, takes some CPU of its machine and some of the database, and
leaves. What a request costs is measured (``python -m bench server`` prints microseconds of CPU per request), not
guessed; what it costs on another machine, measure there. Everything else follows from the queue.
"""

import argparse
import heapq
import random
import statistics
from collections.abc import Iterable, Iterator
from itertools import count

from attrs import evolve, frozen

from repaircore.adapters.sql.engine.storage import CONNECTIONS

_DAY = 86_400


@frozen(kw_only=True)
class Shape:
    """An installation: what a request costs in seconds, and how many there are of what.

    ``share_written`` of the requests write: a fresh prediction, a booking; the rest reads.
    """

    rate: float
    machines: int
    cores: int = 2
    cpu: float = 0.0012
    cpu_written: float = 0.0075
    database_cores: int = 4
    database_cpu: float = 0.00006
    database_cpu_written: float = 0.0019
    share_written: float = 0.05
    webhooks_for_a_write: float = 1.0
    bytes_for_a_write: int = 1_500
    wal_for_a_write: int = 24_000

    @property
    def utilization(self) -> float:
        """Give how busy the machines' processors are."""
        mean = self.cpu * (1 - self.share_written) + self.cpu_written * self.share_written
        return self.rate * mean / (self.machines * self.cores)

    @property
    def database_utilization(self) -> float:
        """Give how busy the database's are."""
        mean = self.database_cpu * (1 - self.share_written) + self.database_cpu_written * self.share_written
        return self.rate * mean / self.database_cores

    @property
    def workers(self) -> int:
        """Give how many processes there are, one for each core."""
        return self.machines * self.cores


@frozen(kw_only=True)
class Found:
    """Seconds that requests took, and how many were at the database at once."""

    median: float
    p99: float
    most_at_database: int


def simulated(shape: Shape, *, seconds: float = 60.0, seed: int = 7) -> Found:
    """Let requests come for some seconds, and look at those after the first tenth.

    Each core of a machine is a server of its own; the balancer gives a request to a machine in turn, and the machine to the
    core that is free first. The database's cores are one queue. Costs vary as exponential figures do, which is more than they do.
    """
    chance = random.Random(seed)  # noqa: S311 - chance, not a secret
    cores = [[0.0] * shape.cores for _ in range(shape.machines)]
    database = [0.0] * shape.database_cores
    taken: list[tuple[float, float]] = []
    leaving: list[float] = []
    most = 0
    for number, arrived in enumerate(_arrivals(chance, shape.rate, seconds)):
        written = chance.random() < shape.share_written
        cpu = chance.expovariate(1 / (shape.cpu_written if written else shape.cpu))
        asked = chance.expovariate(1 / (shape.database_cpu_written if written else shape.database_cpu))
        served = _next(cores[number % shape.machines], arrived, cpu)
        while leaving and leaving[0] <= served:
            heapq.heappop(leaving)
        done = _next(database, served, asked)
        heapq.heappush(leaving, done)
        most = max(most, len(leaving))
        taken.append((arrived, done - arrived))
    counted = sorted(took for arrived, took in taken if arrived > seconds / 10)
    return Found(
        median=statistics.median(counted), p99=counted[int(len(counted) * 0.99)], most_at_database=most
    )


def _arrivals(chance: random.Random, rate: float, seconds: float) -> Iterator[float]:
    at = 0.0
    for _ in count():
        at += chance.expovariate(rate)
        if at > seconds:
            return
        yield at


def _next(servers: list[float], at: float, takes: float) -> float:
    """Have the server that is free first do something, and give when it is done."""
    begins = max(at, heapq.heappop(servers))
    heapq.heappush(servers, begins + takes)
    return begins + takes


def smallest(shape: Shape, *, p99: float = 0.1, most_busy: float = 0.6) -> Shape:
    """Give the fewest machines that answer 99 of 100 within ``p99`` seconds and are no busier than given."""
    for machines in count(1):
        tried = evolve(shape, machines=machines)
        if tried.utilization <= most_busy and simulated(tried).p99 <= p99:
            return tried
    raise AssertionError  # count() has no end


def connections(*, machines: int, workers: int) -> int:
    """Give how many connections to PostgreSQL so many workers hold open at most, and the jobs of each machine."""
    return workers * _OF_A_WORKER + machines * _OF_JOBS


def table(shape: Shape) -> Iterator[str]:
    """Give the lines of the table that docs/explanation/scaling-out.md shows."""
    cells = (
        "requests a second",
        "machines",
        "workers",
        "busy",
        "p50",
        "p99",
        f"PostgreSQL busy ({shape.database_cores} cores)",
        "its connections, at most",
        "Redis commands a second",
        "WAL a day",
        "kept a day",
        "webhooks a second",
    )
    yield _line(cells)
    yield f"|{'---|' * len(cells)}"
    for rate in (10, 50, 100, 250, 500, 1000):
        found = smallest(evolve(shape, rate=rate, machines=1))
        result = simulated(found)
        writes = rate * found.share_written
        held = connections(machines=found.machines, workers=found.workers)
        yield _line(
            (
                f"{rate:,}",
                f"{found.machines}",
                f"{found.workers}",
                f"{found.utilization:.0%}",
                f"{result.median * 1000:.1f} ms",
                f"{result.p99 * 1000:.0f} ms",
                f"{found.database_utilization:.0%}",
                f"{held} ({result.most_at_database} busy)",
                f"{rate:,}",
                f"{writes * found.wal_for_a_write * _DAY / 1e9:.1f} GB",
                f"{writes * found.bytes_for_a_write * _DAY / 1e9:.1f} GB",
                f"{writes * found.webhooks_for_a_write:.0f}",
            )
        )


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_OF_A_WORKER = CONNECTIONS
_OF_JOBS = CONNECTIONS
"""What each may hold open at most: see docs/explanation/scaling-out.md."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument(
        "--milliseconds", type=float, default=1.2, help="CPU of the server per cached prediction"
    )
    asked.add_argument("--cores", type=int, default=2, help="of each machine")
    options = asked.parse_args()
    for line in table(Shape(rate=1, machines=1, cores=options.cores, cpu=options.milliseconds / 1000)):
        print(line)


if __name__ == "__main__":
    main()
