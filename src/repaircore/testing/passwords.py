"""A fast password hasher, and a login gate that records attempts."""

from typing_extensions import override

from repaircore.accounts.password_strength import normalize_password
from repaircore.accounts.ports import PasswordHasher
from repaircore.kernel.errors import TooMany
from repaircore.passwords.ports import PasswordGate


class PlainPasswords(PasswordHasher):
    """A fast hasher for tests only, which stores the plain password after a version number.

    Incrementing ``version`` makes every stored hash outdated; ``verified`` lists the hashes that were compared.
    """

    def __init__(self) -> None:
        self.version = 1
        self.verified: list[str | None] = []

    @override
    def hash(self, password: str) -> str:
        return f"plain{self.version}:{normalize_password(password)}"

    @override
    def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
        self.verified.append(stored)
        return stored is not None and stored.partition(":")[2] == normalize_password(password)

    @override
    def needs_rehash(self, stored: str) -> bool:
        return not stored.startswith(f"plain{self.version}:")


class RecordingGate(PasswordGate):
    """A gate that records attempts, and allows ``most`` of each kind.

    Registrations are counted per IP address; failed logins and reset requests, per e-mail address and IP address.
    """

    def __init__(self, most: int = 5) -> None:
        self._most = most
        self.failures: list[str] = []
        self.registrations: list[str] = []
        self.reset_requests: list[str] = []

    @override
    def check_login(self, email: str, address: str) -> None:
        if self.failures.count(f"{email} {address}") >= self._most:
            raise TooMany(60)

    @override
    def login_queue(self, email: str, address: str) -> str:
        return f"{email} {address}"

    @override
    def count_failed_login(self, email: str, address: str) -> None:
        self.check_login(email, address)
        self.failures.append(f"{email} {address}")

    @override
    def count_registration(self, address: str) -> None:
        if self.registrations.count(address) >= self._most:
            raise TooMany(60)
        self.registrations.append(address)

    @override
    def count_reset_request(self, email: str, address: str) -> None:
        if self.reset_requests.count(f"{email} {address}") >= self._most:
            raise TooMany(60)
        self.reset_requests.append(f"{email} {address}")
