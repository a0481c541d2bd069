"""Choose the VIN in an image from the readings of its scans.

Bar codes, printed text and vision models yield readings: pieces of text and their source. A reading is a VIN if its
check digit is correct, whatever else was read. docs/decisions/vin-from-an-image.md explains which characters may be
replaced by similar ones, and what counts without a valid check digit.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations, pairwise, product
from typing import Final

from attrs import frozen

from repaircore.vehicles.vin import check_digit_holds, has_year_code


class ReadingSource(StrEnum):
    """Where a reading comes from; readings from different sources are independent."""

    BAR_CODE = "bar_code"
    TEXT = "text"
    MODEL = "model"


@frozen(kw_only=True)
class Reading:
    """A string that was found in an image.

    ``scan`` is the number of the scan that found it. Readings from one source in one scan are from different places; in
    different scans, they may be from the same place.
    """

    text: str
    source: ReadingSource
    scan: int = 0


@frozen(kw_only=True)
class ExtractedVin:
    """A 17-character VIN that was read in an image.

    ``warnings`` has ``vin_check_digit`` if its check digit is wrong, and ``several_vins`` if the image shows
    ``others``.
    """

    vin: str
    warnings: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def doubt(self) -> str | None:
        """Return a sentence that says why to compare the VIN with the vehicle, or None if there is no doubt."""
        if self.others:
            return "There are several VINs in the photo. Compare this one with the vehicle."
        if self.warnings:
            return "A VIN was found, but its check digit is wrong. Compare it with the vehicle."
        return None


CHECK_DIGIT: Final = "vin_check_digit"
SEVERAL: Final = "several_vins"

_LENGTH: Final = 17
_PIECE: Final = re.compile(r"[A-Z0-9]+")
_LABEL: Final = re.compile(r"(?:VIN|FIN)(?:NO|NR)?|VAD")
"""Labels before a VIN; VAD is its element in the bar codes on registration cards (AAMVA)."""
_SHORTEST_PART: Final = 4
"""The minimum number of characters on each line if a VIN is printed on two lines."""
_MOST_PIECES: Final = 6
_LEAST_DIGITS: Final = 2
_LEAST_LETTERS: Final = 2
_MOST_GUESSED: Final = 2
_NORTH_AMERICA: Final = frozenset("12345")
_CHECKED: Final = frozenset("0123456789X")

_NEVER: Final = {"I": "1", "O": "0", "Q": "09"}
"""Letters that no VIN contains, and the characters that are misread as them."""

_ALIKE: Final = {"2": "Z", "Z": "2", "5": "S", "S": "5", "8": "B", "B": "8"}
"""Other characters that are confused in print."""

_RARELY_ALIKE: Final = {
    "0": "D",
    "D": "0",
    "1": "LT7",
    "L": "1",
    "T": "17",
    "7": "1T",
    "6": "G",
    "G": "6C",
    "C": "G",
    "3": "8",
    "8": "3",
    "4": "A",
    "A": "4",
    "U": "V",
    "V": "UY",
    "Y": "V",
}
"""Characters that are rarely confused; they are tried if the others do not help."""

_CORRECTIONS: Final = ((_ALIKE, 1), (_ALIKE, 2), (_RARELY_ALIKE, 1))
"""The replacements to try, in order, and in how many places."""


def best_vin(readings: Sequence[Reading], is_known: Callable[[str], bool]) -> ExtractedVin | None:
    """Return the VIN in the image, or None if there is none or it is uncertain.

    ``is_known`` returns whether a decoder knows a VIN. It is called for a VIN with a wrong check digit on which two
    independent readings agree, and only if nothing better was read.
    """
    valid = _most_seen(readings, _valid)
    if valid is not None:
        others = tuple(vin for vin in _witnesses(readings, _plain) if vin != valid)
        return ExtractedVin(vin=valid, warnings=(SEVERAL,) if others else (), others=others)
    on_two_lines = _most_seen([*_pairs(readings)], _valid)
    if on_two_lines is not None:
        return ExtractedVin(vin=on_two_lines)
    agreed = next((vin for vin in _agreed(readings) if is_known(vin)), None)
    if agreed is not None:
        return ExtractedVin(vin=agreed, warnings=(CHECK_DIGIT,))
    return _corrected([reading for reading in readings if reading.source is not ReadingSource.BAR_CODE])


def has_valid_vin(readings: Sequence[Reading]) -> bool:
    """Return whether a whole VIN with a valid check digit was read, so that more scans cannot change the result."""
    return _most_seen(readings, _valid) is not None


def _most_seen(readings: Sequence[Reading], vins: Callable[[Reading], Iterable[str]]) -> str | None:
    """Return the VIN with the most independent readings, the first one on a tie, or None if there are none."""
    seen = _witnesses(readings, vins)
    return max(seen, key=lambda vin: seen[vin], default=None)


def _agreed(readings: Sequence[Reading]) -> list[str]:
    seen = _witnesses(readings, _with_wrong_check_digit)
    return sorted((vin for vin in seen if seen[vin] > 1), key=lambda vin: -seen[vin])


def _witnesses(readings: Sequence[Reading], vins: Callable[[Reading], Iterable[str]]) -> dict[str, int]:
    """Return the number of independent readings of each VIN: for each source, the most in any one scan."""
    found: dict[str, dict[tuple[ReadingSource, int], int]] = {}
    for reading in readings:
        for vin in dict.fromkeys(vins(reading)):
            looks = found.setdefault(vin, {})
            place = (reading.source, reading.scan)
            looks[place] = looks.get(place, 0) + 1
    return {vin: _independent(looks) for vin, looks in found.items()}


def _independent(looks: dict[tuple[ReadingSource, int], int]) -> int:
    return sum(
        max((count for (whose, _), count in looks.items() if whose is source), default=0)
        for source in ReadingSource
    )


# Find strings of 17 characters in a text


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(unicodedata.normalize("NFKC", text).upper())


def _whole(reading: Reading) -> Iterator[str]:
    """Yield the pieces that may be a whole VIN, without a label attached to them."""
    for piece in _pieces(reading.text):
        if len(piece) == _LENGTH:
            yield piece
        elif len(piece) == _LENGTH + 1 and piece[0] == "I":
            yield piece[1:]  # Code 39 on imported vehicles starts with an I
        elif len(piece) > _LENGTH and _LABEL.fullmatch(piece[:-_LENGTH]):
            yield piece[-_LENGTH:]


def _joined(reading: Reading) -> Iterator[str]:
    """Yield neighboring pieces joined, because VINs are also printed in groups."""
    pieces = _pieces(reading.text)
    for start in range(len(pieces)):
        for end in range(start + 2, min(start + _MOST_PIECES, len(pieces)) + 1):
            joined = "".join(pieces[start:end])
            if len(joined) == _LENGTH:
                yield joined


def _pairs(readings: Sequence[Reading]) -> Iterator[Reading]:
    """Yield the end of each printed line joined to the start of the next, because cards break VINs across lines."""
    printed = [reading for reading in readings if reading.source is ReadingSource.TEXT]
    for first, second in pairwise(printed):
        before, after = _pieces(first.text), _pieces(second.text)
        if first.scan != second.scan or not before or not after:
            continue
        if min(len(before[-1]), len(after[0])) >= _SHORTEST_PART:
            yield Reading(text=before[-1] + after[0], source=ReadingSource.TEXT, scan=first.scan)


# Decide which readings count


def _plain(reading: Reading) -> Iterator[str]:
    """Yield the VINs with a valid check digit, exactly as read."""
    for spelling in _whole(reading):
        if not _NEVER.keys() & set(spelling) and _is_vin(spelling) and check_digit_holds(spelling):
            yield spelling


def _valid(reading: Reading) -> Iterator[str]:
    """Yield the VINs with a valid check digit, after replacing the letters that no VIN contains."""
    for spelling in _whole(reading):
        yield from (vin for vin in _allowed(spelling) if _is_vin(vin) and check_digit_holds(vin))
    for spelling in _joined(reading):
        yield from (vin for vin in _allowed(spelling) if _is_usual(vin) and check_digit_holds(vin))


def _with_wrong_check_digit(reading: Reading) -> Iterator[str]:
    """Yield strings in the format of a VIN, whatever their check digit."""
    for spelling in _whole(reading):
        if not _NEVER.keys() & set(spelling) and _is_vin(spelling) and spelling[-4:].isdecimal():
            yield spelling


def _corrected(readings: Sequence[Reading]) -> ExtractedVin | None:
    """Return the VIN that results from replacing similar characters, or None if there is not exactly one.

    This is limited to vehicles for North America, where the law requires the check digit: elsewhere, a wrong check
    digit does not indicate a misreading.
    """
    spellings = {near for reading in readings for whole in _whole(reading) for near in _allowed(whole)}
    ours = [spelling for spelling in spellings if spelling[0] in _NORTH_AMERICA]
    for alike, places in _CORRECTIONS:
        changed = {vin for spelling in ours for vin in _changed(spelling, alike, places)}
        fitting = [vin for vin in changed if _is_usual(vin) and check_digit_holds(vin)]
        if fitting:
            return ExtractedVin(vin=fitting[0]) if len(fitting) == 1 else None
    return None


def _allowed(spelling: str) -> Iterator[str]:
    # A long word must not become a VIN just because its letters look like digits.
    if _is_vin(spelling) and spelling.count("Q") <= _MOST_GUESSED:
        yield from map("".join, product(*(_NEVER.get(char, char) for char in spelling)))


def _changed(spelling: str, alike: Mapping[str, str], places: int) -> Iterator[str]:
    """Yield the spellings with exactly ``places`` characters replaced, but never the first one, which is the region."""
    able = [at for at in range(1, _LENGTH) if spelling[at] in alike]
    for chosen in combinations(able, places):
        choices = [alike[char] if at in chosen else char for at, char in enumerate(spelling)]
        yield from map("".join, product(*choices))


def _is_vin(vin: str) -> bool:
    """Return whether a string of 17 characters is neither just a number nor just a word."""
    digits = sum(char.isdecimal() for char in vin)
    return _LEAST_DIGITS <= digits <= _LENGTH - _LEAST_LETTERS


def _is_usual(vin: str) -> bool:
    """Return whether a VIN is built as in North America: with a year code, a check digit and a serial number."""
    return _is_vin(vin) and has_year_code(vin) and vin[8] in _CHECKED and vin[-4:].isdecimal()
