"""A rate limit, and the status of its window."""

from attrs import frozen


@frozen(cache_hash=True)
class Limit:
    """At most ``count`` requests in any period of ``seconds``."""

    count: int
    seconds: int = 60


@frozen
class Verdict:
    """Whether a request was admitted, and if not, after how many whole seconds to retry."""

    admitted: bool
    retry_after: int = 0


@frozen(kw_only=True)
class WindowStatus:
    """Whether a request was admitted, and the status of its window afterward.

    ``remaining`` requests are left of ``limit``. ``reset_at`` is when the next place becomes free, in seconds since
    1970, rounded up: the oldest admission that counts leaves the window then. ``retry_after`` is as in ``Verdict``.
    """

    limit: int
    remaining: int
    reset_at: int
    admitted: bool = True
    retry_after: int = 0

    @property
    def verdict(self) -> Verdict:
        """The decision alone."""
        return Verdict(admitted=self.admitted, retry_after=self.retry_after)
