"""A plate provider that follows docs/reference/plate-provider-protocol.md, for tests and developers.

    with PlateServer({Plate(state="CA", number="7ABC123"): {"vin": "1HGCM82633A004352"}}, key="k") as provider:
        ... Settings(plates_url=provider.url, plates_api_key="k") ...
        assert provider.lookups == [Plate(state="CA", number="7ABC123")]

``python -m repaircore.testing.plate_provider --port 8801 --key k`` serves the sandbox plates.
"""

import argparse
from collections.abc import Mapping, Sequence
from hmac import compare_digest
from http import HTTPStatus
from threading import Lock
from typing import Any, Final

from typing_extensions import override

from repaircore.adapters.lookups.plates_remote import UNKNOWN
from repaircore.adapters.lookups.sandbox import PLATES
from repaircore.testing.loopback import Handler, Loopback
from repaircore.vehicles.model import Plate
from repaircore.vehicles.plates import parse_plate

_PREFIX: Final = "/v1/plates/"


class PlateServer(Loopback):
    """The provider as a context manager, listening on the loopback interface.

    ``plates`` has the fields of each response other than ``plate`` and ``state``. A ``key`` of None means that no
    credential is required; a ``port`` of 0 picks a free port.
    """

    def __init__(
        self, plates: Mapping[Plate, Mapping[str, Any]], *, key: str | None = None, port: int = 0
    ) -> None:
        super().__init__(_Handler, port=port)
        self._plates = plates
        self._key = key
        self._lookups: list[Plate] = []
        self._lock = Lock()

    @property
    def lookups(self) -> Sequence[Plate]:
        """Return the plates looked up so far, in order."""
        with self._lock:
            return list(self._lookups)

    def answer(self, path: str, credential: str) -> tuple[HTTPStatus, Mapping[str, Any]]:
        """Return the status and body of a response; ``credential`` is the request's Authorization header."""
        if self._key is not None and not compare_digest(credential.encode(), f"Bearer {self._key}".encode()):
            return HTTPStatus.UNAUTHORIZED, {"error": "unauthenticated"}
        plate = _plate_in(path)
        if plate is None:
            return HTTPStatus.NOT_FOUND, {"error": "unknown_address"}
        with self._lock:
            self._lookups.append(plate)
        registration = self._plates.get(plate)
        if registration is None:
            return HTTPStatus.NOT_FOUND, {"error": UNKNOWN}
        return HTTPStatus.OK, {"plate": plate.number, "state": plate.state, **registration}


def _plate_in(path: str) -> Plate | None:
    if not path.startswith(_PREFIX):
        return None
    state, _, number = path.removeprefix(_PREFIX).partition("/")
    return parse_plate(number, state)


class _Handler(Handler[PlateServer]):
    @override
    def answer(self) -> None:
        self.reply(*self.party.answer(self.path, self.headers.get("authorization", "")))


def _serve() -> None:
    parser = argparse.ArgumentParser(description="Run a plate provider with the sandbox plates.")
    parser.add_argument("--port", type=int, default=8801)
    parser.add_argument("--key", default=None, help="the required credential")
    options = parser.parse_args()
    plates = {plate: {"vin": vin} for plate, vin in PLATES.items()}
    with PlateServer(plates, key=options.key, port=options.port) as provider:
        print(f"A plate provider serves at {provider.url}")  # noqa: T201 - a program of its own
        provider.wait()


if __name__ == "__main__":
    _serve()
