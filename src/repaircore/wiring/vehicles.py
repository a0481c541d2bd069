"""Wiring of vehicles: VINs, plates, the catalog, and connected cars."""

import time
from typing import TYPE_CHECKING

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.reader import ChildVinReader
from repaircore.adapters.lookups.catalog_names import CatalogModelNames, ModelNamesChain, OnceTrims
from repaircore.adapters.lookups.chain import DecoderChain
from repaircore.adapters.lookups.vin_catalog import VinCatalog, newest_catalog
from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.lookups.vpic_models import VpicKnownModels
from repaircore.adapters.lookups.vpic_names import VpicModelNames
from repaircore.adapters.shipped.engines import ShippedEngines
from repaircore.adapters.shipped.makes import shipped_makes
from repaircore.adapters.shipped.mechanics import family_words, shipped_mechanics
from repaircore.catalog.service import Catalog
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.extraction import Extraction
from repaircore.vehicles.lookups import Lookups
from repaircore.vehicles.records import StoredVehicles
from repaircore.vehicles.service import Vehicles

if TYPE_CHECKING:
    from repaircore.catalog.rebuild import CatalogRebuild
    from repaircore.connected_cars.ports import CarProvider
    from repaircore.connected_cars.service import ConnectedCars
    from repaircore.core import Core
    from repaircore.vehicles.ports import PlateProvider, VinDecoder, VisionModel

CALLBACK = "/api/v1/connectedcar/callback"
"""The path below the public URL to which the connected-car provider redirects drivers."""


def vehicles(core: "Core") -> Vehicles:
    """Wire vehicles and the decoding of VINs."""
    catalog = CatalogModelNames(core.catalog.list_known_engines, shipped_mechanics, core.clock)
    by_name = VpicModelNames(
        catalog=core.vin_catalog,
        known=core.catalog.list_known_engines,
        mechanics=shipped_mechanics,
        clock=core.clock,
    )
    models = ModelNamesChain([by_name, catalog])
    once_trims = OnceTrims(core.catalog.list_engines_as_trim, models, shipped_mechanics)
    decoder = _vin_decoder(core)
    return Vehicles(
        transaction=core.storage.transaction,
        read=core.storage.read,
        decoder=decoder,
        names=ModelNamesChain([once_trims, *models.members]),
        families=family_words,
        trims=core.catalog.list_trims,
        similar_models=core.catalog.list_similar,
        extraction=Extraction(reader=core.vin_reader, decoder=decoder, vision=_vision_model(core)),
        new_id=core.new_id,
        clock=core.clock,
    )


def stored_vehicles(core: "Core") -> StoredVehicles:
    """Wire vehicle records as operators manage them."""
    return StoredVehicles(
        transaction=core.storage.transaction,
        read=core.storage.read,
        decoder=core.vehicles.decoder,
        names=core.vehicles.names,
        find_model_year=lambda model_id: _find_model_year(core, model_id),
        new_id=core.new_id,
        clock=core.clock,
    )


def lookups(core: "Core") -> Lookups:
    """Wire lookups of vehicles by VIN or plate."""
    from repaircore.adapters.lookups.sandbox import SandboxPlates

    return Lookups(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vehicles=core.vehicles,
        provider=_plate_provider(core),
        sandbox=SandboxPlates(),
        clock=core.clock,
    )


def vin_reader(core: "Core") -> ChildVinReader:
    """Wire the reader of VINs in photos."""
    return ChildVinReader(core.image_limit)


def image_limit(core: "Core") -> ImageLimit:
    """Wire the limit on how many files are read at once."""
    return ImageLimit(core.settings.state)


def catalog(core: "Core") -> Catalog:
    """Wire the catalog: makes, models, trims, engines."""
    return Catalog(
        transaction=core.storage.transaction,
        read=core.storage.read,
        sold=shipped_makes,
        models_known=VpicKnownModels(core.vin_catalog, shipped_mechanics),
        table=ShippedEngines(),
        clock=core.clock,
    )


def vin_catalog(core: "Core") -> VinCatalog:
    """Wire the catalog of VIN patterns."""
    return newest_catalog(core.settings.vin_catalog_file)


def catalog_rebuild(core: "Core") -> "CatalogRebuild":
    """Wire rebuilding the catalog from newer VIN data."""
    from repaircore.adapters.lookups.vpic_local import InstalledVinData
    from repaircore.catalog.rebuild import CatalogRebuild

    return CatalogRebuild(data=InstalledVinData(core.settings.vin_catalog_file), clock=core.clock)


def connected_cars(core: "Core") -> "ConnectedCars":
    """Wire connected cars."""
    from repaircore.adapters.crypto.installation import derived
    from repaircore.adapters.crypto.vault import FernetVault
    from repaircore.adapters.fleet_signals import FleetSignals
    from repaircore.adapters.lookups.sandbox import SandboxCars
    from repaircore.connected_cars.service import ConnectedCars, OAuthKeys

    redirect = core.settings.public_url.rstrip("/") + CALLBACK
    return ConnectedCars(
        transaction=core.storage.transaction,
        read=core.storage.read,
        provider=_car_provider(core, redirect),
        sandbox=SandboxCars(redirect=redirect, clock=core.clock),
        vault=FernetVault.of([*core.settings.car_provider.keys, core.secret]),
        sink=FleetSignals(compliance=lambda: core.compliance),
        keys=OAuthKeys(
            state=derived(core.secret, "connected-car states"),
            verifier=derived(core.secret, "connected-car verifiers"),
        ),
        new_id=core.new_id,
        clock=core.clock,
        wait=time.sleep,
    )


def _vin_decoder(core: "Core") -> DecoderChain:
    decoders: list[VinDecoder] = [VpicVinDecoder(core.clock, shipped_mechanics)]
    url = core.settings.vin_decoder_url
    if url is not None:
        from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder  # imports httpx

        decoders.append(VpicRemoteDecoder.at(url, clock=core.clock, mechanics=shipped_mechanics))
    return DecoderChain(decoders)


def _vision_model(core: "Core") -> "VisionModel | None":
    if not core.settings.vision.is_on:
        return None
    from repaircore.adapters.ai.factory import build_vision

    return build_vision(core.settings.vision)


def _plate_provider(core: "Core") -> "PlateProvider | None":
    url = core.settings.plates_url
    if url is None:
        return None
    from repaircore.adapters.lookups.plates_remote import RemotePlates  # imports httpx

    return RemotePlates.at(url, api_key=core.settings.plates_api_key, clock=core.clock)


def _car_provider(core: "Core", redirect: str) -> "CarProvider | None":
    if not core.settings.car_provider.is_on:
        return None
    from repaircore.adapters.lookups.cars_remote import RemoteCars  # imports httpx

    return RemoteCars.at(core.settings.car_provider, redirect=redirect, clock=core.clock)


def _find_model_year(core: "Core", model_id: str) -> VehicleSpecs | None:
    sold = core.catalog.find_model_year(model_id)
    if sold is None:
        return None
    return VehicleSpecs(make=sold.make, model=sold.model, year=sold.year, source="catalog")
