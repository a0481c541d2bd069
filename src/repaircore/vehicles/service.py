"""Finding the vehicle behind a VIN, or behind a year, make and model."""

from typing import BinaryIO, Final

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock, NewId
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import NoSuchVehicle, VehicleNotFound
from repaircore.vehicles.extraction import Extraction
from repaircore.vehicles.matching import Match, MatchSource, Wish, is_alike, specs_id
from repaircore.vehicles.model import Decoded, Vehicle
from repaircore.vehicles.ports import Begin, ModelNames, VinDecoder
from repaircore.vehicles.reading import ReadVin

__all__ = ["Vehicles"]

_NEARBY: Final = (-1, 1, -2, 2, -3, 3)
"""Models are made for years: one that is known this near is taken to have been made."""


@frozen(kw_only=True)
class Vehicles:
    """The use cases of vehicles."""

    begin: Begin
    look: Begin
    decoder: VinDecoder
    names: ModelNames
    extraction: Extraction
    new_id: NewId
    clock: Clock

    def decode(self, text: str) -> Decoded:
        """Say what a VIN means, without keeping anything.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no decoder knows it.
        """
        vin = _sound(text)
        kept = self._kept(vin)
        decoded = kept.about if kept else self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return decoded

    def identify(self, text: str) -> Vehicle:
        """Give the vehicle of a VIN as it was written: the kept one, else a decoded one, which is then kept.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        return self.resolve(_sound(text))

    def extract_vin(self, image: BinaryIO, caller: Caller = LOCAL) -> ReadVin:
        """Read the VIN in an image: a JPEG, PNG or WebP file of at most ``MOST_IMAGE_BYTES``.

        Nothing is kept of the image. It never leaves the machine in the test environment, nor unless a
        vision model is configured.

        Raises:
            Invalid: on ``image``.
            NoVinInImage: there is none in it that can be read.
            Unresolvable: what is needed to look at images is not installed.
            TooMany: too many images are being looked at.
        """
        return self.extraction.of(image, caller)

    def reduced_image(self, image: BinaryIO) -> bytes:
        """Give an image as a JPEG of moderate size that holds nothing but pixels; nothing is kept of it.

        Raises:
            Invalid: on ``image``.
            Unresolvable: what is needed to look at images is not installed.
            TooMany: too many images are being looked at.
        """
        return self.extraction.reduced(image)

    def resolve(self, vin: str) -> Vehicle:
        """Give the vehicle of a sound VIN: the kept one, else a decoded one, which is then kept.

        Raises:
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        kept = self._kept(vin)
        if kept is not None:
            return kept
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return self._keep(decoded, vin=vin[:11])

    def keep(self, about: Decoded, *, vin: str) -> Vehicle:
        """Keep the vehicle of a sound VIN that no decoder knows, as somebody else described it."""
        return self._keep(about, vin=vin[:11])

    def match(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Find the vehicle that specs mean best; one that only the catalog knows is kept first.

        Raises:
            NoSuchVehicle: nobody made such a model around that year.
        """
        found = self.find(year=year, make=make, model=model, trim=trim, engine=engine)
        if found.source is MatchSource.DATABASE:
            return found
        with self.begin() as work:
            return evolve(found, vehicle=work.vehicles.add(found.vehicle))

    def find(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Find the vehicle that specs mean best; one that only the catalog knows is given as it would be kept.

        Raises:
            NoSuchVehicle: nobody made such a model around that year.
        """
        with self.look() as work:
            alike = work.vehicles.like(year=year, make=make, model=model)
        wish = Wish(trim=trim, engine=engine)
        found = wish.best(alike)
        if found is None or wish.agreement(found.about) < wish.most:
            listed = self.names.find(year, make, model, trim, engine)
            if listed is not None:
                found = wish.best(kept for kept in alike if is_alike(kept.about, listed))
                if found is None or wish.agreement(found.about) < wish.agreement(listed):
                    return Match(source=MatchSource.CATALOG, count=1, vehicle=self._made(listed, vin=None))
        if found is not None:
            return Match(source=MatchSource.DATABASE, count=len(alike), vehicle=found)
        made = self._from_nearby_years(year, make, model)
        return Match(source=MatchSource.CREATED, count=0, vehicle=self._made(made, vin=None))

    def decoded(self, vin: str) -> Vehicle:
        """Give the vehicle of a sound VIN: the kept one, else a decoded one as it would be kept.

        Raises:
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        kept = self._kept(vin)
        if kept is not None:
            return kept
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return self._made(decoded, vin=vin[:11])

    def _from_nearby_years(self, year: int, make: str, model: str) -> Decoded:
        """Make a vehicle of what was asked, when the model is known a few years before or after."""
        if year <= self.clock().year + 1:
            for nearby in _NEARBY:
                known = self.names.find(year + nearby, make, model)
                if known is not None:
                    return evolve(known, year=year, trim=None, engine=None, source="specs")
        raise NoSuchVehicle

    def _kept(self, vin: str) -> Vehicle | None:
        with self.look() as work:
            return work.vehicles.by_vin11(vin[:11])

    def _keep(self, decoded: Decoded, *, vin: str | None) -> Vehicle:
        with self.begin() as work:
            return work.vehicles.add(self._made(decoded, vin=vin))

    def _made(self, decoded: Decoded, *, vin: str | None) -> Vehicle:
        vehicle_id = specs_id(decoded) if vin is None else self.new_id()
        return Vehicle(id=vehicle_id, vin=vin, about=decoded, created_at=self.clock())


def _sound(text: str) -> str:
    vin = vins.normalize(text)
    faults = vins.faults(vin)
    if faults:
        raise Invalid({"vin": faults})
    return vin
