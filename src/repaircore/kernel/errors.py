"""The kinds of failure.

    Failure
    ├── Unauthenticated   no credential, or one that is unknown, revoked or expired
    ├── Forbidden         a known caller who may not do this
    ├── NotFound          no such record, or none that the caller may see
    ├── Invalid           fields that break a rule, each with its messages
    ├── Unresolvable      well-formed input for which nothing was found
    ├── Conflict          the stored state does not allow the request
    ├── TooMany           a limit or a quota is used up
    └── Unavailable       an outside service that is needed is not responding

A slice's own failures are subclasses; HTTP and the command line map the kinds, never the subclasses.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar


class Failure(Exception):
    """A request that cannot be fulfilled, with a message for the user.

    ``code`` is the machine-readable error code if the specification names one (``VEHICLE_NOT_FOUND``).
    """

    code: ClassVar[str | None] = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Unauthenticated(Failure):
    """No credential was presented, or one that is unknown, revoked or expired."""

    def __init__(self, message: str = "Unauthenticated.") -> None:
        super().__init__(message)


class Forbidden(Failure):
    """The caller is known, but may not do this."""

    def __init__(self, message: str = "This action is unauthorized.") -> None:
        super().__init__(message)


class NotFound(Failure):
    """There is no such record, or none that this caller may see."""


class Invalid(Failure):
    """Some fields break a rule; ``fields`` maps each dotted name to its messages."""

    def __init__(self, fields: Mapping[str, Iterable[str]]) -> None:
        self.fields: dict[str, tuple[str, ...]] = {name: tuple(texts) for name, texts in fields.items()}
        texts = [text for messages in self.fields.values() for text in messages]
        rest = len(texts) - 1
        more = f" (and {rest} more error{'s' if rest > 1 else ''})" if rest > 0 else ""
        super().__init__((texts[0] if texts else "The given data was invalid.") + more)


class Unresolvable(Failure):
    """The input is well-formed, but nothing was found for it (an image without a VIN).

    ``details`` has further facts for programs, in plain JSON values.
    """

    def __init__(self, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details = details


class Conflict(Failure):
    """The stored state does not allow the request.

    ``details`` has further facts for programs, in plain JSON values (``{"status": …, "allowed": […]}``).
    ``retry_after`` is set when the conflict is temporary: the request may be retried after that many whole seconds.
    """

    def __init__(
        self, message: str, *, details: Mapping[str, Any] | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.details = details
        self.retry_after = retry_after


class TooMany(Failure):
    """A limit is used up; the request may be retried after ``retry_after`` whole seconds."""

    def __init__(self, retry_after: int, message: str = "Too Many Attempts.") -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(Failure):
    """An outside service that is needed is not responding."""
