"""What the directory of providers needs from outside."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.providers.model import NearbyProvider, P, ProviderRequest


class Providers(Protocol[P]):
    """The kept providers of one kind. Each is of one environment, in which no two have the same phone."""

    @abstractmethod
    def add(self, provider: P) -> P | None:
        """Keep a new one, and give it its id; None, and nothing is kept, when its environment has one with its phone.

        Of several who add the same one at once, one does; the others wait for it and get None.
        """

    @abstractmethod
    def stand_in(self, provider: P, identity: str) -> P:
        """Keep a stand-in of the sandbox, or give the one that is kept already under its identity."""

    @abstractmethod
    def standing_in(self, identity: str, environment: Environment) -> P | None:
        """Give the stand-in of the sandbox that is kept under an identity, or None."""

    @abstractmethod
    def active(self, refs: Sequence[str]) -> frozenset[str]:
        """Tell who of these gets requests; who is not known (any more) does not."""

    @abstractmethod
    def by_ref(self, ref: str, environment: Environment) -> P | None:
        """Give one by its reference, stand-ins and those who get no requests too, or None."""

    @abstractmethod
    def by_phone(self, phone: str, environment: Environment) -> P | None:
        """Give the one with a phone in E.164, or None; stand-ins are not found so."""

    @abstractmethod
    def replace(self, old: P, new: P) -> P:
        """Keep the next state of one.

        Raises:
            Conflict: somebody else changed or removed it meanwhile, or the phone is another's; nothing is changed.
        """

    @abstractmethod
    def remove(self, provider_id: int) -> bool:
        """Forget one, and tell whether it was there.

        Raises:
            Conflict: something refers to it.
        """

    @abstractmethod
    def referents(self, provider_id: int) -> Mapping[str, int]:
        """Count what refers to one, by its kind in the singular."""

    @abstractmethod
    def after(self, provider_id: int, environment: Environment, *, limit: int) -> Sequence[P]:
        """List the first ones whose id is greater, by id; stand-ins are left out."""

    @abstractmethod
    def near(self, asked: ProviderRequest) -> Iterator[NearbyProvider[P]]:
        """Give who can come: active, able, within their radius of the place, at work at the moment; nearest first.

        Stand-ins are left out. The database is asked at once; what is not taken costs next to nothing.
        """
