"""A limit, and what came of taking one place in its window."""

from attrs import frozen

__all__ = ["Limit", "Verdict"]


@frozen(cache_hash=True)
class Limit:
    """At most ``count`` in any ``seconds``."""

    count: int
    seconds: int = 60


@frozen
class Verdict:
    """Whether one more was let in, and after how many whole seconds asking again is worth it."""

    admitted: bool
    retry_after: int = 0
