"""Descriptions for the OpenAPI document: what a field means wherever it occurs, defined once."""

from collections.abc import Mapping
from typing import Final

from repaircore.pricing.model import PartsTier

_FIELDS: Final[Mapping[str, str]] = {
    "vin": "A VIN; only the first 11 of its 17 characters matter. Spaces, dashes and case are ignored; a VIN has no I, O or Q.",
    "zip_code": "An existing ZIP code, `12345` or `12345-6789`.",
    "problem_identifier": "A repair: its id as a string, or its slug.",
    "mileage": "The odometer, in miles.",
    "session_id": "The id of a prediction or of a chat.",
    "password": "At least 8 characters; neither a common password nor the account's e-mail address.",
    "email": "An e-mail address.",
    "environment": "`live` or `test`; neither sees the other's records.",
    "page": "The page number, starting at 1.",
    "per_page": "The number of items on a page.",
    "limit": "The maximum number of items to list.",
    "search": "Words that the listed items must contain.",
    "query": "Everyday words, 2 to 500 characters; misspelled ones are understood too.",
    "description": "The item, or the symptom, in words.",
    "symptom": "What is wrong, in words: 3 to 2000 characters.",
    "answer": "One of the options of the question, or an answer in words.",
    "step": "The step of the question that is answered; if another answer arrived first, this one is a conflict.",
    "plate": "A license plate.",
    "state": "A state, by its two-letter code.",
    "year": "A model year.",
    "make": "A make, such as Honda.",
    "model": "A model, such as Accord.",
    "trim": "A trim, such as EX.",
    "engine": "An engine in words: its displacement (2.4L), cylinders (V6), family (EcoBoost), fuel or air (hybrid, diesel, turbo), or several of them.",
    "odometer": "Miles.",
    "performed_on": "The day of the repair.",
    "version": "Increases with each change; a change to an older version fails with 409.",
    "warnings": "Codes of what may be wrong, such as `vin_check_digit`.",
    "sample_size": "The number of records that the response is based on.",
    "basis": "What the response is based on.",
    "created_at": "When it was created, in UTC.",
    "as_of": "The time that the data is from.",
    "success": "Always true in a successful response.",
    "session_token": "The management token, to be sent as a bearer token. It expires after thirty days without use.",
    "secret_key": "The secret key; shown in full only when it is created or rotated.",
    "current_password": "The current password.",
    "token": "The token of a link: the last part of its address.",
    "overlap_hours": "How many hours the old secret key keeps working, 0 to 24.",
    "old_secret_ends_at": "When the previous secret key stops working; null if it has already stopped.",
    "browser": "Where the session began: the browser, or the name of a program.",
    "network": "Where the session began: the network part of the IP address, never the whole address.",
    "is_current": "Whether this request uses the session.",
    "public_key": "The publishable key, which may be used in a browser.",
    "last_used_at": "Null until its first use.",
    "memory_source": "Whether the figures were computed now or come from the cache.",
    "memory_decay_remaining": "From 100 when it was just computed to 0 three days later.",
    "match_percentage": "How well the history and the models agree.",
    "red_flag": "Whether the history and the models disagree so much that a person should check.",
    "confidence": "In percent.",
    "vin_mask": "A VIN, or its first 11 characters or more: it stands for every vehicle whose VIN begins with them.",
    "vehicle": "A vehicle.",
    "dtc_codes": "Trouble codes as in SAE J2012, such as P0420.",
    "tire_pressures": "Pounds per square inch, by position.",
    "tire_depths": "32nds of an inch, by position.",
    "depths": "32nds of an inch, by position; at least one.",
    "pressures": "Pounds per square inch, by position.",
    "ages": "Years, by position.",
    "percent": "Percent, from -90 to 500.",
    "rating": "For a prediction, `good` or `wrong`; for a ride, an appointment or its provider, 1 to 5.",
    "comment": "A remark.",
    "notes": "A remark.",
    "date_from": "The first day.",
    "date_to": "The last day.",
    "labor_rate": "US dollars per hour.",
    "labor_hours": "Hours of labor.",
    "name": "The name.",
    "display_name": "The full name.",
    "phase": "What is being done; null before it begins.",
    "done": "How much of the phase is done.",
    "failure": "Why it failed; null unless it did.",
    "total": "US dollars, or the number of items.",
    "ref": "The reference that identifies the record in URLs and events.",
    "mobileRide": "The reference of a mobile ride.",
    "towRide": "The reference of a tow ride.",
    "towBusinessId": "A towing business that made an offer, by its reference or its number.",
    "reference": "The reference of the record.",
    "webhook": "The reference of a subscription.",
    "status": "The status.",
    "allowed_actions": "The actions that the current status allows.",
    "timeline": "The history of the record, step by step.",
    "detail": "Further facts about a step, as strings, numbers and booleans.",
    "actor": "Who did it; `system` is a timer, or the service itself.",
    "partner_reference": "The partner's own reference.",
    "passenger_ref": "The customer, by reference.",
    "passenger_id": "The customer, by number.",
    "customer_ref": "The customer, by reference.",
    "mechanic_ref": "The mechanic, by reference.",
    "driver_ref": "The driver who made the offer, by reference.",
    "business_ref": "The towing business that made the offer, by reference.",
    "tow_business_id": "The towing business that made the offer, by number.",
    "estimate_id": "An earlier estimate, whose price is honored.",
    "linked_ref": "The ride that became this tow, or the tow that this ride became.",
    "latitude": "Degrees north.",
    "longitude": "Degrees east.",
    "pickup_latitude": "Degrees north.",
    "pickup_longitude": "Degrees east.",
    "dropoff_latitude": "Degrees north.",
    "dropoff_longitude": "Degrees east.",
    "sandbox": "What happens to a ride of the test environment; live has `normal` only.",
    "payment_method": "The payment gateway's id of the customer's payment method; required in live.",
    "distance_miles": "Miles by road, approximately.",
    "eta_minutes": "Minutes from acceptance to arrival.",
    "eta": "The expected time of arrival.",
    "outcome": "How it ended; null until it has ended, and if it was canceled.",
    "transaction_id": "The transaction that was created from the invoice.",
    "invoice": "The invoice for the work on the vehicle.",
    "timezone": "A time zone by its IANA name; it applies to dates and times without one.",
    "pickup_progress": "The progress of the vehicle's pickup; each step follows the one before it.",
    "slot_minutes": "The length of an appointment, in minutes.",
    "next_available": "The next free slot; null when there is none within 60 days.",
    "url": "Where events are sent: a public https address; in test, also one on this machine.",
    "secret": "The secret that signs deliveries; shown in full only once.",
    "rotate_secret": "Create a new secret; the previous one also signs for a day.",
    "failing_since": "The time since which every delivery has failed.",
    "disabled_reason": "Why events are no longer sent; null unless failures disabled the subscription.",
}

_PARTS_TIER: Final = (
    "The grade of the parts; by default the most common one for a vehicle of this age. Case is ignored."
)
_FORCE: Final = "Also estimate a repair that does not fit the vehicle."

BY_SHAPE: Final[Mapping[tuple[str, str], str]] = {
    ("NewKey", "name"): "A label.",
    ("Delivery", "state"): "The status of the delivery.",
    ("OutboxMessage", "state"): "The delivery status of the message.",
    ("ListMessages", "state"): "The delivery status of the message.",
    ("OAuthCallback", "state"): "The state that the connection was started with.",
    ("Fit", "outcome"): "Whether the repair fits the vehicle.",
    ("PredictByVin", "parts_tier"): _PARTS_TIER,
    ("PredictByVin", "force"): _FORCE,
    ("PredictBySpecs", "parts_tier"): _PARTS_TIER,
    ("PredictBySpecs", "force"): _FORCE,
    ("ListSchedules", "vehicle"): "The id of a vehicle, or a VIN.",
    ("CreateSchedule", "vehicle"): "The id of a vehicle, or a VIN.",
    ("SearchMechanics", "service"): "A service, such as oil_change.",
    ("ListSlots", "date"): "A day whose slots to list as well.",
    ("RideFare", "total"): "US dollars.",
    ("JobInvoiced", "total"): "US dollars.",
    ("PageMeta", "total"): "The number of items on all pages.",
}

CHOICES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("PredictByVin", "parts_tier"): tuple(PartsTier),
    ("PredictBySpecs", "parts_tier"): tuple(PartsTier),
}

TAGS: Final[Mapping[str, str]] = {
    "accounts": "Register, log in and log out.",
    "keys": "API keys of the logged-in user.",
    "visits": "Several repairs on one vehicle in one estimate: stored with its customer, sent, answered and invoiced; and the shop on its documents.",
    "webhooks": "Events about an account's visits, signed and sent to its own servers.",
    "tasks": "Long-running work in the background: its progress, log and result.",
    "predictions": "What a repair will cost, whether a quote is fair, and the history of predictions.",
    "catalog": "Makes, models, trims and engines, for forms.",
    "diagnostic": "From a symptom to the repair: questionnaire, chat, trouble codes.",
    "garage": "The vehicles of an account: what they need, what they cost, and reminders.",
    "fleet": "Vehicles of fleets: recalls, signals, health, value, predicted repairs, service schedules.",
    "connected car": "Cars that report their own data, with their drivers' consent.",
    "admin problems": "The repair book, for admins.",
    "admin vehicles": "Stored vehicles, for admins.",
    "admin regions": "Shops that labor rates come from, for admins.",
    "admin transactions": "Past repairs that estimates learn from, for admins.",
    "admin settings": "Settings that admins change while the service runs.",
    "admin messages": "Messages that were sent by e-mail, SMS and webhook.",
    "partner sessions": "Sessions of partner applications.",
    "partner customers": "Customers of partners.",
    "partner mobile rides": "A driver comes to the vehicle: estimate, request, offers, acceptance, progress, rating.",
    "partner tow rides": "A towing business moves the vehicle.",
    "partner mechanics": "The directory of mechanics, their hours and their free slots.",
    "partner appointments": "Appointments with mechanics, and the pickup of the vehicle.",
    "partner usage": "A partner's limits and usage.",
    "partner statements": "What was captured and refunded in a month.",
    "partner webhooks": "Subscriptions to events.",
    "provider requests": "Requests to drivers and towing businesses, their offers, and the jobs that they are chosen for.",
    "service": "The service itself.",
    "other": "Everything else.",
}

CREDENTIALS: Final[Mapping[str, str]] = {
    "session": "Needs a management session.",
    "key": "Accepts any credential: a publishable key, a secret key or a management session.",
    "secret": "Needs a secret key or a management session; a publishable key, which may be used in a browser, is rejected.",
    "admin": "Needs the secret key or the management session of an admin.",
    "partner": "Needs the session token of a partner.",
    "provider": "Needs the key of a provider.",
    "optional": "A credential is optional; an invalid one is rejected.",
    "none": "Needs no credential.",
}

HEADERS: Final[Mapping[str, str]] = {
    "X-Request-Id": "The id of the request, to quote when reporting a problem: the caller's own, if it sent a well-formed one.",
    "Retry-After": "The number of seconds to wait before trying again.",
    "WWW-Authenticate": "The authentication scheme: Bearer.",
    "ETag": "Identifies this version of the response.",
    "X-RateLimit-Limit": "The number of requests allowed per minute.",
    "X-RateLimit-Remaining": "The number of requests left in this window.",
    "X-RateLimit-Reset": "When the next request becomes free, in seconds since 1970.",
    "Idempotency-Key": "1 to 255 printable characters: the same request with the same key runs once, and gets the same response for 24 hours.",
    "Idempotent-Replayed": "`true` on a repeated response.",
    "Prefer": "`respond-async`: the response is 202 with a task, which continues in the background.",
    "Location": "The URL of the created resource.",
    "Preference-Applied": "`respond-async`: the request continues in the background.",
    "If-None-Match": "The version that the caller has; the response is 304 while that version is current.",
}

INTRODUCTION: Final = """\
- **Bodies** are JSON objects in UTF-8, of at most 1 MB and 32 levels; unknown fields are ignored, wrong types are
  errors. Duplicate keys, NUL characters and integers beyond 64 bits are rejected.
- **Times** are UTC, such as `2026-01-31T12:00:00Z`; **money** is in US dollars; **distances** are in miles.
- **Credentials** are sent as `Authorization: Bearer …`; the prefix is the kind: `mst_` a management session, `pk_` a publishable,
  `sk_` a secret key.
- **Errors** have one shape for each status. 422 lists every invalid field in `errors`, nested ones with dots (`answers.0.question_id`),
  including what no schema can express, such as a ZIP code or a repair that does not exist. A method that a URL does not support
  fails with 405 and `{message}`.
- **Partners** (`/api/v1/partner`) send a session token, a JWT that is valid for 15 minutes. Responses are `{data}`, errors
  `{error {message, code, details}}`; a broken rule is 400. With an `Idempotency-Key` a change happens once; the `details` of a conflict
  are the record's status and the actions that it allows. Every response has the number of requests left, even 404 and 405.
- **Every response** has an `X-Request-Id`. Requests beyond the limit fail with 429 and `Retry-After`.
- **HEAD** is supported wherever GET only reads.
"""


PATH_PARAMETERS: Final[Mapping[tuple[str, str], str]] = {
    ("auth.end_session", "session_id"): "The id of a management session.",
    ("partner_statements.show", "month"): "A month, such as `2026-01`.",
}
"""Descriptions of path parameters, by endpoint, where that of the field with the same name would be wrong."""


def description_of(name: str, shape: str = "") -> str | None:
    """Return the description of a field of a shape, or None if it has none."""
    return BY_SHAPE.get((shape, name)) or _FIELDS.get(name)


def choices_of(name: str, shape: str) -> tuple[str, ...]:
    """Return the documented values of a string field of a shape; empty if any string is accepted."""
    return CHOICES.get((shape, name), ())
