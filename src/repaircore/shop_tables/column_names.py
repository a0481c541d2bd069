"""What the name of a column says about its content."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from repaircore.shop_tables.model import Field

_SHORT: Final[Mapping[str, str]] = {
    "amt": "amount", "lbr": "labor", "labour": "labor", "lab": "labor", "prt": "part", "prts": "parts", "pts": "parts", "hrs": "hours",
    "hr": "hours", "hour": "hours", "desc": "description", "descr": "description", "descrip": "description", "dt": "date", "veh": "vehicle",
    "vehic": "vehicle", "mfr": "make", "mfg": "make", "manufacturer": "make", "mdl": "model", "yr": "year", "qty": "quantity", "quant": "quantity",
    "ext": "extended", "extd": "extended", "extension": "extended", "inv": "invoice", "wo": "workorder", "ro": "ro", "num": "number",
    "no": "number", "nbr": "number", "nr": "number", "odo": "odometer", "odom": "odometer", "mi": "miles", "tot": "total", "ttl": "total",
    "sub": "subtotal", "op": "operation", "oper": "operation", "opcode": "operation code", "cd": "code", "loc": "location", "postal": "zip",
    "zipcode": "zip", "postcode": "zip", "prc": "price", "cust": "customer", "tech": "technician", "performed": "performed", "svc": "service",
    "serv": "service", "sale": "amount", "sales": "amount", "charge": "amount", "cost": "cost", "completed": "closed", "complete": "closed",
    "finalized": "closed", "km": "kilometers", "kms": "kilometers", "kilometres": "kilometers", "kilometer": "kilometers", "dol": "amount",
    "dollars": "amount", "usd": "amount", "vinnumber": "vin", "unitprice": "unit price", "linetype": "line type", "ids": "id",
}  # fmt: skip

_SYNONYMS: Final[Mapping[Field, tuple[str, ...]]] = {
    Field.DATE: (
        "date", "date closed", "close date", "closed", "closed at", "closed date", "closed on", "invoice date", "service date", "performed on",
        "ro date", "repair date", "work date", "date performed", "date of service", "invoiced", "invoiced on", "date invoiced", "posted", "post date",
        "posted date", "date posted", "paid date", "date paid", "transaction date", "finish date", "finished", "date out", "out date", "ro close date",
        "date done", "order date", "workorder date", "job date", "ticket date", "date serviced", "day",
    ),
    Field.ORDER: (
        "ro", "ro number", "repair order", "repair order number", "invoice", "invoice number", "workorder", "work order", "workorder number",
        "work order number", "order", "order number", "ticket", "ticket number", "job number", "document", "document number", "invoice id", "ro id",
        "order id", "reference", "reference number", "bill number", "estimate number", "repair order id", "receipt",
    ),
    Field.VIN: ("vin", "vin number", "vehicle vin", "vehicle identification number", "vehicle id number", "serial number", "full vin", "chassis number"),
    Field.YEAR: ("year", "vehicle year", "model year", "my", "car year"),
    Field.MAKE: ("make", "vehicle make", "car make", "brand"),
    Field.MODEL: ("model", "vehicle model", "car model", "carline", "car line", "model name"),
    Field.TRIM: ("trim", "vehicle trim", "trim level", "submodel", "sub model", "series", "vehicle submodel"),
    Field.VEHICLE: ("vehicle", "unit", "car", "year make model", "ymm", "vehicle description", "vehicle info", "vehicle name", "auto", "unit description"),
    Field.MILEAGE: (
        "mileage", "odometer", "miles", "mileage in", "odometer in", "miles in", "mileage out", "odometer out", "miles out", "kilometers",
        "odometer kilometers", "mileage kilometers", "odometer miles", "odometer reading", "current mileage", "vehicle mileage", "kilometers in",
        "kilometers out", "mileage at service",
    ),
    Field.PROBLEM: ("problem", "problem id", "problem identifier", "repair slug"),
    Field.DESCRIPTION: (
        "description", "job description", "work performed", "operation description", "operation", "labor description", "service description",
        "line description", "work description", "service", "services", "service performed", "services performed", "work", "repair", "repairs",
        "repair description", "work done", "job", "job name", "job title", "line notes", "line item", "item description", "item", "correction",
        "repair performed", "service name", "labor operation", "complaint correction", "details", "task", "concern", "complaint", "job summary",
        "canned job", "line text", "story", "repair details", "service details", "invoice description", "name",
    ),
    Field.JOB: ("job", "job line", "line code", "job letter", "job id", "line letter", "ro line", "operation line", "job sequence", "labor line", "line"),
    Field.KIND: ("type", "line type", "kind", "item type", "line kind", "category", "entry type", "record type", "sale type", "line category", "class"),
    Field.QUANTITY: ("quantity", "units", "count", "pieces", "quantity sold"),
    Field.UNIT_PRICE: ("price", "unit price", "price each", "each", "list price", "retail", "retail price", "unit amount", "sell price"),
    Field.AMOUNT: ("amount", "extended", "extended price", "extended amount", "line total", "line amount", "total price", "price extended", "net amount"),
    Field.LABOR_HOURS: (
        "labor hours", "hours", "billed hours", "flat rate hours", "sold hours", "hours billed", "hours sold", "labor time", "book hours", "flag hours",
        "labor quantity", "labor units", "time", "hours worked",
    ),
    Field.LABOR_RATE: ("labor rate", "hourly rate", "rate", "rate per hour", "shop rate", "door rate"),
    Field.LABOR: ("labor", "labor amount", "labor total", "labor price", "total labor", "labor subtotal", "labor net", "labor revenue"),
    Field.PARTS: ("parts", "parts amount", "parts total", "parts price", "total parts", "parts subtotal", "parts net", "part amount", "part total", "parts revenue"),
    Field.TOTAL: (
        "total", "job total", "grand total", "invoice total", "total amount", "ro total", "subtotal", "order total", "total invoice", "total charged",
        "amount paid", "total paid", "net total", "total due", "job subtotal", "job amount", "invoice amount", "total invoice amount",
    ),
    Field.TAX: ("tax", "amount tax", "tax amount", "tax total", "total tax", "amount tax total", "sales tax", "taxes"),
    Field.ZIP: ("zip", "store zip", "shop zip", "location zip", "facility zip", "zip code", "shop zip code", "store zip code", "location zip code"),
    Field.FACILITY: ("facility", "shop", "shop name", "location", "store", "store name", "location name", "branch", "facility name", "facility id", "site", "garage"),
}  # fmt: skip

_SOMEBODY: Final = frozenset(
    [
        "customer",
        "owner",
        "advisor",
        "writer",
        "technician",
        "phone",
        "email",
        "address",
        "first",
        "last",
        "contact",
        "employee",
        "sold",
        "bill",
        "user",
        "plate",
        "license",
        "tag",
        "salesman",
        "city",
        "state",
        "by",
        "cost",
    ]
)
"""Words in the names of columns about people or the shop's own costs; such names get lower scores."""

_OPENED: Final = frozenset(
    [
        "opened",
        "open",
        "created",
        "start",
        "started",
        "due",
        "promised",
        "in",
        "appointment",
        "arrived",
        "last",
    ]
)
"""Words in the names of dates other than the date when the work was finished."""

_TAXED: Final = frozenset(["grand", "due", "charged", "paid", "invoice", "tax"])

_NOT_LETTER: Final = re.compile(r"[^a-z0-9#%$]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_EXACT: Final = 1.0
_NEARLY: Final = 0.8
_PARTLY: Final = 0.55
_MOST_EXTRA: Final = 2


@lru_cache(maxsize=2_000)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, with abbreviations expanded: ``LBR HRS`` becomes labor hours."""
    spaced = _NOT_LETTER.sub(" ", _CAMEL.sub(" ", name).casefold())
    spaced = spaced.replace("#", " number ").replace("$", " amount ")
    words = " ".join(_SHORT.get(word, word) for word in spaced.split())
    return tuple(words.split())


def name_scores(name: str) -> dict[Field, float]:
    """Return how well a column's name fits each field, from 0 to 1, omitting fields that it does not fit."""
    # The leaf of a nested key comes first: "vehicle.make" is a make.
    leaf = name_words(name.rpartition(".")[2])
    whole = name_words(name)
    found = {
        wanted: max(
            max(_similarity(leaf, name_words(synonym)), _similarity(whole, name_words(synonym)))
            for synonym in synonyms
        )
        for wanted, synonyms in _SYNONYMS.items()
    }
    if _SOMEBODY & set(whole):
        found = {wanted: score * 0.3 for wanted, score in found.items()}
    if _OPENED & set(whole):
        found[Field.DATE] = min(_NEARLY, max(found[Field.DATE], _PARTLY)) * 0.9 if found[Field.DATE] else 0.0
    return {wanted: score for wanted, score in found.items() if score > 0}


def includes_tax(name: str) -> bool:
    """Return whether the name of a total says that it is what the customer paid, including taxes."""
    words = set(name_words(name))
    return bool(words & _TAXED)


def _similarity(words: tuple[str, ...], synonym: tuple[str, ...]) -> float:
    if words == synonym:
        return _EXACT
    if set(words) == set(synonym):
        return _NEARLY
    extra = set(words) - set(synonym)
    if set(synonym) <= set(words) and len(extra) <= _MOST_EXTRA:
        return _PARTLY * len(synonym) / (len(synonym) + len(extra)) + 0.1
    return 0.0
