"""A limit, and what came of taking one place in its window."""

from attrs import frozen


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


@frozen(kw_only=True)
class WindowStatus:
    """Whether one more was let in, and how its window stands afterwards.

    ``remaining`` places are left of ``limit``. ``reset_at`` is when the next one comes free, in seconds since
    1970, rounded up: the oldest admission that counts leaves the window then. ``retry_after`` is as in ``Verdict``.
    """

    limit: int
    remaining: int
    reset_at: int
    admitted: bool = True
    retry_after: int = 0

    @property
    def verdict(self) -> Verdict:
        """Return the decision alone."""
        return Verdict(admitted=self.admitted, retry_after=self.retry_after)
