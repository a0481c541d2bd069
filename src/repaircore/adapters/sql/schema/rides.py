"""Rides, offers, the directory of drivers and towing businesses, and the requests sent to them."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, LargeBinary, Text, UniqueConstraint

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    Real,
    environment_check,
    row_id,
    table,
    where,
)

ON_A_RIDE = (
    "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
)
"""The condition for rides that a driver is on; a partial index covers queries with exactly this text."""

ACTIVE_REQUESTS = "'sent', 'offered', 'expired', 'chosen'"
"""The statuses in which a request to a provider may still change, as an SQL list."""

# Mobile rides and tow rides, and their offers.
rides = table(
    "rides",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("partner_id", Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("customer_id", Big, ForeignKey("customers.id"), nullable=False, index=True),
    Column("status", Text, nullable=False, info=THINGS),
    Column("service", Text, nullable=False, info=THINGS),
    Column("pickup_latitude", Real, nullable=False),
    Column("pickup_longitude", Real, nullable=False),
    Column("dropoff_latitude", Real, nullable=False),
    Column("dropoff_longitude", Real, nullable=False),
    Column("pickup_address", Text, info=PROSE),
    Column("dropoff_address", Text, info=PROSE),
    Column("fare", Text, nullable=False, info=THINGS),  # JSON: miles, and cents
    Column("vehicle", Text, nullable=False, info=PROSE),  # JSON, as the partner described it
    Column("notes", Text, info=PROSE),
    Column("reason", Text, info=PROSE),
    Column("partner_reference", Text, info=PROSE),
    Column("metadata", Text, info=PROSE),  # JSON: the partner's own strings by name
    Column("session_id", Text, info=THINGS),  # of the prediction that led to it
    Column("payment_method", Text, info=THINGS),  # the gateway's name for it
    Column("scenario", Text, nullable=False, info=THINGS),
    Column("offer_id", Big),
    Column("provider_ref", Text, info=THINGS),
    Column("provider_name", Text, info=PROSE),
    Column("provider_card", Text, info=PROSE),  # JSON: phone, vehicle and plate
    Column("price", Big),  # cents, of the accepted offer
    Column("scheduled_for", Big),
    Column("ask_at", Big),  # when providers are asked for a scheduled ride
    Column("eta_at", Big),
    Column("en_route_at", Big),
    Column("position", Text, info=THINGS),  # JSON, of the provider on the way
    Column("dispatch", Text, info=THINGS),
    Column("wave", Big, nullable=False, server_default="0"),
    Column("destination_changed_at", Big),
    Column("accepted_at", Big),
    Column("arrived_at", Big),
    Column("started_at", Big),
    Column("ended_at", Big),
    Column("outcome", Text, info=THINGS),
    Column("cancel_reason", Text, info=THINGS),
    Column("cancel_note", Text, info=PROSE),
    Column("fee", Big),
    Column("linked_ref", Text, info=THINGS),
    Column("bill", Text, info=THINGS),  # JSON: the transaction of its invoice, totals, and the estimate
    Column("rating", Big),
    Column("comment", Text, info=PROSE),
    Column("rated_at", Big),
    Column("expires_at", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("kind IN ('ride', 'tow')", name="kind"),
    CheckConstraint(
        "status IN ('pending', 'accepted', 'driver_arrived', 'provider_arrived', 'in_progress', 'completed',"
        " 'cancelled', 'expired')",
        name="status",
    ),
    # A partner's list is one range of an index, with or without a status.
    Index(None, "partner_id", "environment", "kind", "id"),
    Index(None, "partner_id", "environment", "kind", "status", "id"),
    Index(
        "ix_rides_partner_reference",
        "partner_id",
        "environment",
        "partner_reference",
        "id",
        **where("partner_reference IS NOT NULL"),
    ),
    Index("ix_rides_pending", "kind", "expires_at", **where("status = 'pending'")),
    # A driver is on one ride at a time; a business has several trucks, and sandbox drivers do many rides.
    Index("uq_rides_driver", "provider_ref", unique=True, **where(ON_A_RIDE)),
    # The rides of a provider: removing or erasing a provider reads them under the write lock.
    Index("ix_rides_provider", "provider_ref", **where("provider_ref IS NOT NULL")),
)

ride_offers = table(
    "ride_offers",
    row_id(),
    Column("ride_ref", Text, ForeignKey("rides.ref"), nullable=False, info=THINGS),
    Column("provider_ref", Text, nullable=False, info=THINGS),
    Column("provider_id", Big, nullable=False),
    Column("provider_name", Text, nullable=False, info=PROSE),
    Column("rating", Real),
    Column("price", Big, nullable=False),
    Column("distance_miles", Real, nullable=False),
    Column("eta_minutes", Big, nullable=False),
    Column("status", Text, nullable=False, info=THINGS),
    Column("offered_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
    Column("closed_at", Big),
    CheckConstraint("status IN ('offered', 'accepted', 'declined', 'withdrawn', 'expired')", name="status"),
    Index(None, "ride_ref", "id"),
    Index(None, "provider_ref"),
    # Only one offer is accepted, even among concurrent requests.
    Index("uq_ride_offers_accepted", "ride_ref", unique=True, **where("status = 'accepted'")),
)

# The directory of drivers and towing businesses, which operators fill.
drivers = table(
    "drivers",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("identity", Text, info=PERSON),  # the phone in E.164; a unique name of a sandbox provider
    Column("name", Text, nullable=False, info=PERSON),
    Column("phone", Text, info=PERSON),
    Column("services", Text, nullable=False, info=THINGS),  # JSON
    Column("vehicle", Text, info=PERSON),
    Column("latitude", Real, nullable=False),
    Column("longitude", Real, nullable=False),
    Column("radius_miles", Real, nullable=False),
    Column("time_zone", Text, nullable=False, info=THINGS),
    Column("weekly", Text, info=PERSON),  # JSON, in local time; NULL: always
    Column("active", Big, nullable=False),
    Column("offers", Text, nullable=False, server_default="automatic", info=THINGS),
    Column("email", Text, info=PERSON),
    Column("webhook_url", Text, info=PERSON),
    Column("plate", Text, info=PERSON),
    Column("sandbox", Big, nullable=False),
    Column("rating_sum", Big, nullable=False),
    Column("rating_count", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("sandbox = 0 OR environment = 'test'", name="sandbox"),
    UniqueConstraint("environment", "identity"),
    Index(None, "environment", "latitude"),
)

businesses = table(
    "businesses",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("identity", Text, info=THINGS),  # the phone in E.164; a unique name of a sandbox provider
    Column("name", Text, nullable=False, info=PROSE),
    Column("phone", Text, info=PROSE),
    Column("ride_types", Text, nullable=False, info=THINGS),  # JSON
    Column("address", Text, info=PROSE),
    Column("latitude", Real, nullable=False),
    Column("longitude", Real, nullable=False),
    Column("radius_miles", Real, nullable=False),
    Column("time_zone", Text, nullable=False, info=THINGS),
    Column("weekly", Text, info=THINGS),  # JSON, in local time; NULL: always
    Column("active", Big, nullable=False),
    Column("offers", Text, nullable=False, server_default="automatic", info=THINGS),
    Column("email", Text, info=PROSE),
    Column("webhook_url", Text, info=PROSE),
    Column("vehicle", Text, info=PROSE),
    Column("plate", Text, info=PROSE),
    Column("sandbox", Big, nullable=False),
    Column("rating_sum", Big, nullable=False, server_default="0"),
    Column("rating_count", Big, nullable=False, server_default="0"),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("sandbox = 0 OR environment = 'test'", name="sandbox"),
    UniqueConstraint("environment", "identity"),
    Index(None, "environment", "latitude"),
)

# The requests to providers for rides, and their answers.
dispatch_requests = table(
    "dispatch_requests",
    row_id(),
    Column("ref", Text, nullable=False, unique=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("ride_ref", Text, ForeignKey("rides.ref"), nullable=False, info=THINGS),
    Column("provider_ref", Text, nullable=False, info=THINGS),
    Column("provider_id", Big, nullable=False),
    Column("distance_miles", Real, nullable=False),
    Column("wave", Big, nullable=False),
    Column("terms", Text, nullable=False, info=THINGS),  # a hash of the trip and the price
    Column("token_hash", LargeBinary, nullable=False, unique=True, info=THINGS),
    Column("status", Text, nullable=False, info=THINGS),
    Column("offer_id", Big),
    Column("reason", Text, info=PROSE),
    Column("sent_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
    Column("answered_at", Big),
    Column("closed_at", Big),
    environment_check(),
    CheckConstraint("kind IN ('ride', 'tow')", name="kind"),
    CheckConstraint(
        "status IN ('sent', 'offered', 'declined', 'expired', 'closed', 'chosen', 'not_chosen', 'dropped_out',"
        " 'ended')",
        name="status",
    ),
    Index("ix_dispatch_requests_ride", "ride_ref", "id"),
    # A provider's list is one range of an index.
    Index("ix_dispatch_requests_provider", "provider_ref", "environment", "id"),
    # The requests that may still change, which a job reads.
    Index("ix_dispatch_requests_active", "id", **where(f"status IN ({ACTIVE_REQUESTS})")),
    # A provider has only one open request for a ride.
    Index(
        "uq_dispatch_requests_active",
        "ride_ref",
        "provider_ref",
        unique=True,
        **where(f"status IN ({ACTIVE_REQUESTS})"),
    ),
)

# The keys of providers' own programs.
provider_keys = table(
    "provider_keys",
    row_id(),
    Column("provider_ref", Text, nullable=False, index=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("key_hash", LargeBinary, nullable=False, unique=True, info=THINGS),
    Column("last4", Text, nullable=False, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("revoked_at", Big),
    environment_check(),
)
