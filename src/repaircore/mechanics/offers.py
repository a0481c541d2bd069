"""Mechanics' services and languages as text in files, commands and searches."""

import re
from typing import Final

from repaircore.kernel.rules import Range
from repaircore.mechanics.model import TICK_MINUTES, Offer

MOST_SERVICES: Final = 50
LONGEST_SERVICE: Final = 60
MOST_LANGUAGES: Final = 20

_MINUTES: Final = Range(TICK_MINUTES, 480)
_MOST_CENTS: Final = 10_000_000
_NOT_WORD: Final = re.compile(r"[^a-z0-9]+")
_BETWEEN: Final = re.compile(r"[;,](?![^()]*\))")  # separates services, except within parentheses
_OFFER: Final = re.compile(r"([^()]*)(?:\(([^()]*)\))?", re.ASCII)
_LENGTH: Final = re.compile(r"([0-9]{1,4}) ?min(?:utes)?", re.ASCII | re.IGNORECASE)
_PRICE: Final = re.compile(r"\$ ?([0-9]{1,6})(?:\.([0-9]{2}))?", re.ASCII)
_CODE: Final = re.compile(r"[a-z]{2}", re.ASCII)

_LANGUAGES: Final = {
    "arabic": "ar", "armenian": "hy", "bengali": "bn", "chinese": "zh", "dutch": "nl", "english": "en", "farsi": "fa",
    "french": "fr", "german": "de", "greek": "el", "gujarati": "gu", "haitian creole": "ht", "hebrew": "he",
    "hindi": "hi", "italian": "it", "japanese": "ja", "khmer": "km", "korean": "ko", "mandarin": "zh", "persian": "fa",
    "polish": "pl", "portuguese": "pt", "punjabi": "pa", "russian": "ru", "somali": "so", "spanish": "es",
    "swahili": "sw", "tagalog": "tl", "tamil": "ta", "telugu": "te", "thai": "th", "turkish": "tr", "ukrainian": "uk",
    "urdu": "ur", "vietnamese": "vi",
}  # fmt: skip
"""The languages that may be given by their English names."""


def service_word(text: str) -> str:
    """Return the stored form of a service: ``Oil change`` becomes ``oil_change``."""
    return _NOT_WORD.sub("_", text.casefold()).strip("_")


def parse_offers(text: str) -> tuple[Offer, ...]:
    """Parse ``brakes; oil change (30 min, $59.95)`` into offers sorted by service; the last entry of a service wins.

    Raises:
        ValueError: the text is malformed; the message is the predicate of a sentence: ``must …``.
    """
    offers = [_parse_offer(part.strip()) for part in _BETWEEN.split(text) if part.strip()]
    named = {offer.service: offer for offer in offers if offer.service}
    if len(named) > MOST_SERVICES:
        msg = f"must not have more than {MOST_SERVICES} services"
        raise ValueError(msg)
    if any(len(service) > LONGEST_SERVICE for service in named):
        msg = f"must not have a service name longer than {LONGEST_SERVICE} characters"
        raise ValueError(msg)
    return tuple(named[service] for service in sorted(named))


def format_offer(offer: Offer) -> str:
    """Format an offer as ``parse_offers`` reads it."""
    details = [
        *([] if offer.minutes is None else [f"{offer.minutes} min"]),
        *([] if offer.price is None else [format_price(offer.price)]),
    ]
    return f"{offer.service} ({', '.join(details)})" if details else offer.service


def format_price(cents: int) -> str:
    """Format cents as dollars: ``$59.95``."""
    return f"${cents // 100}.{cents % 100:02}"


def language_code(text: str) -> str | None:
    """Return the ISO 639-1 code of a language (``es`` for ``Spanish`` and ``ES``), or None for anything else."""
    word = text.strip().casefold()
    return _LANGUAGES.get(word, word if _CODE.fullmatch(word) else None)


def parse_languages(text: str) -> tuple[str, ...]:
    """Parse ``English; es`` into sorted codes without duplicates.

    Raises:
        ValueError: the text is malformed; the message is the predicate of a sentence: ``must …``.
    """
    codes = set()
    for word in filter(None, (part.strip() for part in text.replace(",", ";").split(";"))):
        code = language_code(word)
        if code is None:
            msg = f"must list languages such as English or es, not {word[:40]!r}"
            raise ValueError(msg)
        codes.add(code)
    if len(codes) > MOST_LANGUAGES:
        msg = f"must not have more than {MOST_LANGUAGES} languages"
        raise ValueError(msg)
    return tuple(sorted(codes))


def _parse_offer(text: str) -> Offer:
    match = _OFFER.fullmatch(text)
    if match is None:
        raise _unreadable(text)
    minutes, price = None, None
    for detail in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        if length := _LENGTH.fullmatch(detail):
            minutes = _parse_minutes(int(length[1]))
        elif amount := _PRICE.fullmatch(detail):
            price = int(amount[1]) * 100 + int(amount[2] or 0)
        else:
            raise _unreadable(text)
    if price is not None and price > _MOST_CENTS:
        msg = f"must not have a price above {format_price(_MOST_CENTS)}"
        raise ValueError(msg)
    return Offer(service=service_word(match[1]), minutes=minutes, price=price)


def _parse_minutes(minutes: int) -> int:
    predicate = _MINUTES.broken_by(minutes)
    if predicate is not None or minutes % TICK_MINUTES:
        msg = f"must have services of {_MINUTES.least} to {_MINUTES.most} minutes, in steps of {TICK_MINUTES}"
        raise ValueError(msg)
    return minutes


def _unreadable(text: str) -> ValueError:
    return ValueError(f"must list services such as brakes; oil change (30 min, $59.95), not {text[:60]!r}")
