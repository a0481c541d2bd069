"""A quick password hasher, and a login gate that remembers what it was told."""

from typing_extensions import override

from repaircore.accounts.ports import LoginGate, PasswordHasher
from repaircore.kernel.errors import TooMany


class PlainPasswords(PasswordHasher):
    """Passwords behind a version mark: quick, and of no use outside tests.

    ``version`` can be raised to make every kept hash outdated; ``verified`` lists what was compared.
    """

    def __init__(self) -> None:
        self.version = 1
        self.verified: list[str | None] = []

    @override
    def hash(self, password: str) -> str:
        return f"plain{self.version}:{password}"

    @override
    def verify(self, kept: str | None, password: str) -> bool:
        self.verified.append(kept)
        return kept is not None and kept.partition(":")[2] == password

    @override
    def outdated(self, kept: str) -> bool:
        return not kept.startswith(f"plain{self.version}:")


class RecordingGate(LoginGate):
    """A gate that lets ``most`` of a kind through and lists them in ``failures`` and ``registrations``."""

    def __init__(self, most: int = 5) -> None:
        self._most = most
        self.failures: list[str] = []
        self.registrations: list[str] = []

    @override
    def check(self, email: str, address: str) -> None:
        if self.failures.count(f"{email} {address}") >= self._most:
            raise TooMany(60)

    @override
    def failed(self, email: str, address: str) -> None:
        self.check(email, address)
        self.failures.append(f"{email} {address}")

    @override
    def registering(self, address: str) -> None:
        if self.registrations.count(address) >= self._most:
            raise TooMany(60)
        self.registrations.append(address)
