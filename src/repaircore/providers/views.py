"""Providers as operators see them on the command line."""

from datetime import datetime
from typing import Any, Self

from repaircore.kernel.callers import Environment
from repaircore.kernel.views import Count, view
from repaircore.providers.businesses import Business
from repaircore.providers.drivers import Driver
from repaircore.providers.model import OfferMode, Provider


@view
class ProviderView:
    """The fields that all providers have."""

    id: int
    ref: str
    environment: Environment
    name: str
    phone: str | None
    latitude: float
    longitude: float
    radius_miles: float
    time_zone: str
    hours: str
    active: bool
    offers: OfferMode
    email: str | None
    webhook_url: str | None
    vehicle: str | None
    plate: str | None
    rating: float | None
    rating_count: Count
    sandbox: bool
    created_at: datetime
    updated_at: datetime


@view
class DriverView(ProviderView):
    """A driver, with the services that they can perform."""

    services: list[str]

    @classmethod
    def of(cls, driver: Driver) -> Self:
        """Return the view of a driver."""
        return cls(
            **_provider_fields(driver),
            services=sorted(driver.abilities),
        )


@view
class BusinessView(ProviderView):
    """A towing business, with its address and the ways in which it can tow."""

    ride_types: list[str]
    address: str | None

    @classmethod
    def of(cls, business: Business) -> Self:
        """Return the view of a towing business."""
        return cls(
            **_provider_fields(business), ride_types=sorted(business.abilities), address=business.address
        )


def _provider_fields(provider: Provider) -> dict[str, Any]:
    return {
        "id": provider.id,
        "ref": provider.ref,
        "environment": provider.environment,
        "name": provider.name,
        "phone": provider.phone,
        "latitude": provider.point.latitude,
        "longitude": provider.point.longitude,
        "radius_miles": provider.radius_miles,
        "time_zone": provider.time_zone,
        "hours": provider.hours,
        "active": provider.active,
        "offers": provider.offers,
        "email": provider.email,
        "webhook_url": provider.webhook_url,
        "vehicle": provider.vehicle,
        "plate": provider.plate,
        "rating": provider.rating,
        "rating_count": provider.rating_count,
        "sandbox": provider.sandbox,
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }
