"""The words of the document: what a name means wherever it stands, said once."""

from collections.abc import Mapping
from typing import Final

from repaircore.pricing.model import PartsTier

_FIELDS: Final[Mapping[str, str]] = {
    "vin": "A VIN; the first 11 of its 17 characters decide. Spaces, dashes and case do not matter; I, O and Q are no letters of one.",
    "zip_code": "A ZIP code, `12345` or `12345-6789`, that exists.",
    "problem_identifier": "A repair: its id as a string, or its slug.",
    "mileage": "The odometer, in miles.",
    "session_id": "The id of a prediction or of a conversation.",
    "password": "At least 8 characters.",
    "email": "An e-mail address.",
    "environment": "`live` or `test`; neither sees what the other writes.",
    "page": "Which page, from 1.",
    "per_page": "How many items a page has.",
    "limit": "How many are listed at most.",
    "search": "Words that what is listed must have.",
    "query": "Everyday words, 2 to 500 characters; mistyped ones are understood too.",
    "description": "What it is, or what is wrong, in words.",
    "symptom": "What is wrong, in words: 3 to 2000 characters.",
    "answer": "One of the options of the question, or an answer in words.",
    "step": "The step of the question that is answered; another answer that came first makes it a conflict.",
    "plate": "A license plate.",
    "state": "A state, by its two letters.",
    "year": "A model year.",
    "make": "A make, such as Honda.",
    "model": "A model, such as Accord.",
    "trim": "A trim, such as EX.",
    "engine": "An engine in words: its displacement (2.4L), cylinders (V6), family (EcoBoost), fuel or air (hybrid, diesel, turbo), or several of them.",
    "odometer": "Miles.",
    "performed_on": "The day of the repair.",
    "version": "Counts changes; a change that was made on an older version is refused with 409.",
    "warnings": "Codes of what may be wrong, such as `vin_check_digit`.",
    "sample_size": "How many records the answer rests on.",
    "basis": "What the answer rests on.",
    "created_at": "When it was made, UTC.",
    "as_of": "The time that the answer is of.",
    "success": "Always true of what was done.",
    "session_token": "The management token: to be shown as a bearer token. Thirty days without use end it.",
    "secret_key": "The secret key; the whole of it is shown once, when it is made.",
    "public_key": "The publishable key: it may sit in a browser.",
    "last_used_at": "Null until its first use.",
    "memory_source": "Whether the figures were computed now or are remembered.",
    "memory_decay_remaining": "From 100, computed now, to 0, three days later.",
    "match_percentage": "How well the history and the models agree.",
    "red_flag": "Whether the history and the models disagree so far that somebody should look.",
    "confidence": "In percent.",
    "vin_mask": "A VIN, or the first 11 characters or more of one: it stands for every vehicle whose VIN begins so.",
    "vehicle": "A vehicle.",
    "dtc_codes": "Trouble codes as SAE J2012 writes them, such as P0420.",
    "tire_pressures": "Pounds per square inch, by position.",
    "tire_depths": "32nds of an inch, by position.",
    "depths": "32nds of an inch, by position; one at least.",
    "pressures": "Pounds per square inch, by position.",
    "ages": "Years, by position.",
    "percent": "Percent, from -90 to 500.",
    "rating": "What the user thinks of the prediction.",
    "comment": "A remark.",
    "notes": "A remark.",
    "date_from": "The first day.",
    "date_to": "The last day.",
    "labor_rate": "US dollars for an hour.",
    "labor_hours": "Hours of labor.",
    "name": "What it is called.",
    "display_name": "What it is called in full.",
    "total": "US dollars, or how many there are.",
    "ref": "A reference: it names the record in addresses and in events.",
    "mobileRide": "The reference of a mobile ride.",
    "towRide": "The reference of a tow ride.",
    "towBusinessId": "A towing business that offered, by its reference or its number.",
    "reference": "The reference of what is asked for.",
    "webhook": "The reference of a subscription.",
    "status": "How it stands.",
    "allowed_actions": "What may be done with it now.",
    "timeline": "What became of it, step by step.",
    "detail": "What else is worth telling of a step, in strings, numbers and booleans.",
    "actor": "Who did it; `system` is time, or the service itself.",
    "partner_reference": "What the partner calls it.",
    "passenger_ref": "The customer, by reference.",
    "passenger_id": "The customer, by number.",
    "customer_ref": "The customer, by reference.",
    "mechanic_ref": "The mechanic, by reference.",
    "driver_ref": "The driver who offered, by reference.",
    "business_ref": "The towing business that offered, by reference.",
    "tow_business_id": "The towing business that offered, by number.",
    "estimate_id": "A price that was told before, and is honored.",
    "linked_ref": "The ride that this tow was made of, or the tow that this ride became.",
    "latitude": "Degrees north.",
    "longitude": "Degrees east.",
    "pickup_latitude": "Degrees north.",
    "pickup_longitude": "Degrees east.",
    "dropoff_latitude": "Degrees north.",
    "dropoff_longitude": "Degrees east.",
    "sandbox": "What is to happen to a ride of the test environment; live has `normal` alone.",
    "payment_method": "The payment gateway's name for how the customer pays; live needs one.",
    "distance_miles": "Miles by road, or nearly.",
    "eta_minutes": "Minutes until arrival, once accepted.",
    "eta": "When arrival is expected.",
    "outcome": "How it came out; null while it has not ended, or was cancelled.",
    "transaction_id": "The past repair that was made of the invoice.",
    "invoice": "What the work on the vehicle came to.",
    "timezone": "A time zone by its IANA name; dates and times without a zone are of its clock.",
    "pickup_progress": "How far the pickup of the vehicle is; each step is reached from the one before it alone.",
    "slot_minutes": "How long an appointment takes.",
    "next_available": "The next free slot; null when there is none within 60 days.",
    "url": "Where events are sent: an https address of the public network; in test, this machine's own too.",
    "secret": "What deliveries are signed with; the whole of it is shown once.",
    "rotate_secret": "Make a new secret; the one before signs beside it for a day.",
    "failing_since": "Since when every delivery has failed.",
    "disabled_reason": "Why nothing is sent any more; null unless failures ended it.",
}

_PARTS_TIER: Final = (
    "The grade of the parts that are estimated; the commonest for a vehicle of its age where none is given. "
    "Any case is taken."
)
_FORCE: Final = "Estimate a repair that does not fit the vehicle, too."

_OF_SHAPES: Final[Mapping[tuple[str, str], str]] = {
    ("NewKey", "name"): "A label.",
    ("Ask", "parts_tier"): _PARTS_TIER,
    ("Ask", "force"): _FORCE,
    ("Specs", "parts_tier"): _PARTS_TIER,
    ("Specs", "force"): _FORCE,
    ("AskSchedules", "vehicle"): "The id of a vehicle, or a VIN.",
    ("NewSchedule", "vehicle"): "The id of a vehicle, or a VIN.",
    ("AskMechanics", "service"): "A service, such as oil_change.",
    ("AskSlots", "date"): "The day of which the slots are wanted as well.",
    ("RideFare", "total"): "US dollars.",
    ("JobInvoiced", "total"): "US dollars.",
    ("PageMeta", "total"): "How many items all pages have.",
}

_CHOICES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("Ask", "parts_tier"): tuple(PartsTier),
    ("Specs", "parts_tier"): tuple(PartsTier),
}

TAGS: Final[Mapping[str, str]] = {
    "accounts": "Register, sign in and out.",
    "keys": "API keys of the signed-in user.",
    "predictions": "What a repair will cost, whether a quote is fair, and what becomes of predictions.",
    "catalog": "Makes, models, trims and engines, for forms.",
    "diagnostic": "From what is wrong to the repair: questionnaire, conversation, trouble codes.",
    "fleet": "Vehicles of fleets: recalls, signals, health, worth, foretold repairs, planned services.",
    "connected car": "Cars that tell of themselves, once their drivers agree.",
    "admin problems": "The repair book, for admins.",
    "admin vehicles": "Stored vehicles, for admins.",
    "admin regions": "Shops that labor rates come from, for admins.",
    "admin transactions": "Past repairs that estimates learn from, for admins.",
    "admin settings": "Settings that admins change while the service runs.",
    "partner sessions": "Sessions of partner applications.",
    "partner customers": "People for whom partners ask.",
    "partner mobile rides": "A driver comes to where the vehicle is: priced, asked for, offered, accepted, done, rated.",
    "partner tow rides": "A towing business takes the vehicle somewhere.",
    "partner mechanics": "The directory of mechanics, their hours and their free slots.",
    "partner appointments": "Appointments with mechanics, and the pickup of the vehicle.",
    "partner webhooks": "Who is told what happens, and where.",
    "service": "The service itself.",
    "other": "What belongs nowhere else.",
}

FORMS_OF_CREDENTIAL: Final[Mapping[str, str]] = {
    "session": "Needs a management session.",
    "key": "Takes any credential: a publishable key, a secret key or a management session.",
    "secret": "Needs a secret key or a management session; a publishable key may sit in a browser and is refused.",
    "admin": "Needs the secret key or the management session of an admin.",
    "partner": "Needs the session token of a partner.",
    "optional": "A credential may be shown; a wrong one is refused.",
    "none": "Needs no credential.",
}

HEADERS: Final[Mapping[str, str]] = {
    "X-Request-Id": "The name of the request, to be quoted: the caller's own, if it sent a sane one.",
    "Retry-After": "After how many seconds to try again.",
    "WWW-Authenticate": "The scheme in which a credential is shown: Bearer.",
    "ETag": "Names this version of the answer.",
    "X-RateLimit-Limit": "How many requests a minute are allowed.",
    "X-RateLimit-Remaining": "How many of them are left.",
    "X-RateLimit-Reset": "When the window ends, in seconds since 1970.",
    "Idempotency-Key": "1 to 255 printable characters: the same request with the same key is done once, and answered alike for 24 hours.",
    "Idempotent-Replayed": "`true` on an answer that is told again.",
    "If-None-Match": "The version that the caller has; the answer is 304 when it is still the same.",
}

INTRODUCTION: Final = """\
What will this repair cost, and is the price fair?

- **Bodies** are JSON objects in UTF-8, of 1 MB at most and nested 32 levels at most; unknown fields are ignored, wrong types are
  errors. A key that stands twice, a NUL character and an integer beyond 64 bits are refused.
- **Times** are UTC, such as `2026-01-31T12:00:00Z`; **money** is US dollars; **distances** are miles.
- **Credentials** are shown as `Authorization: Bearer …`; the prefix tells the kind: `mst_` a management session, `pk_` a publishable,
  `sk_` a secret key.
- **Errors** have one shape for each status. 422 names every bad field in `errors`, nested ones with dots (`answers.0.question_id`), and
  also tells what no schema can: that a ZIP code does not exist, or a repair does not. A method that an address does not know is
  answered with 405 and `{message}`.
- **Partners** (`/api/v1/partner`) show a session token, a JWT that lasts 15 minutes. Answers are `{data}`, errors
  `{error {message, code, details}}`; what breaks a rule is 400. `Idempotency-Key` makes a change happen once; a conflict tells
  in `details` how the record stands and what it allows. Every answer says how many requests are left, those with 404 and 405 too.
- **Every answer** carries `X-Request-Id`. More requests than the limit allows are answered with 429 and `Retry-After`.
- A **HEAD** is answered wherever a GET only looks.
"""


def said_of(name: str, shape: str = "") -> str | None:
    """Give the words for a field of a shape."""
    return _OF_SHAPES.get((shape, name)) or _FIELDS.get(name)


def choices_of(name: str, shape: str) -> tuple[str, ...]:
    """Return the only values that a text field of a shape takes; empty when any text will do."""
    return _CHOICES.get((shape, name), ())
