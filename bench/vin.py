"""P11: what a VIN's check digit, faults and model year cost, against vininfo; and whether the two agree."""

import random
from collections.abc import Iterator

from vininfo import Vin
from vininfo.exceptions import ValidationError

from bench.table import Row, exactly, interleaved, ratio_of, tell
from repaircore.vehicles.vin import check_digit_holds, model_year, normalize, validate

_ALLOWED = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_ODD = "IOQioq"
_MAKERS = ("1HG", "1FT", "2C4", "3GC", "4T1", "5YJ", "JTD", "KMH", "SAL", "WBA", "WDB", "YV1")
_CHECK = "0123456789X"
_TRIED = 2_000


def rows(*, many: int = 1_000_000) -> list[Row]:
    dice = random.Random(17)  # noqa: S311 - a simulation
    # Well-formed ones: a text that is none costs us the sentences that say why, and vininfo an exception.
    sample = [text for text in _made(dice, _TRIED) if not validate(text)]
    ours, everything, theirs, theirs_everything = interleaved(
        lambda: [check_digit_holds(text) for text in sample],
        lambda: [_everything(text) for text in sample],
        lambda: [_their_check(text) for text in sample],
        lambda: [_theirs(text) for text in sample],
        rounds=12,
        times=1,
    )
    tell(
        f"vin: {min(ours) / len(sample) * 1e6:.2f} µs against {min(theirs) / len(sample) * 1e6:.2f}; comparing {many:,}"
    )
    return [
        Row(
            "P11 are these 17 characters a VIN, check digit and all", "vininfo", ratio_of(ours, theirs), 1 / 8
        ),
        Row(
            "P11 the same, faults in words, maker and model year",
            "vininfo",
            ratio_of(everything, theirs_everything),
        ),
        Row(f"P11 VINs of {many:,} on which the two differ", "none", exactly(differing(many)), 0),
    ]


def differing(many: int) -> int:
    """Count the random and mutated VINs of which the two say different things.

    vininfo judges no check digit of makers who use none, most of them European; these are not compared.
    """
    dice = random.Random(4)  # noqa: S311 - a simulation
    compared = different = 0
    for text in _made(dice, many):
        verdict = _their_check(text)
        if verdict is not None:
            compared += 1
            different += verdict != (
                not validate(text) and len(normalize(text)) == 17 and check_digit_holds(normalize(text))
            )
    assert compared > many / 2
    return different


def _everything(vin: str) -> object:
    return vin[:3], validate(vin), check_digit_holds(vin), model_year(vin, latest=2027)


def _theirs(text: str) -> object:
    try:
        vin = Vin(text)
    except ValidationError:
        return None
    return vin.wmi, vin.verify_checksum(check_year=False), vin.years


def _their_check(text: str) -> bool | None:
    try:
        vin = Vin(text)
    except ValidationError:
        return False
    holds: bool = vin.verify_checksum(check_year=False)
    return holds if getattr(vin.assembler, "uses_sae_checkdigit", True) else None


def _made(dice: random.Random, many: int) -> Iterator[str]:
    """Make VINs: sound ones, such with one character changed, random texts, and such as nobody may write."""
    for turn in range(many):
        text = _sound(dice)
        kind = turn % 4
        if kind == 1:
            at = dice.randrange(17)
            text = text[:at] + dice.choice(_ALLOWED) + text[at + 1 :]
        elif kind == 2:
            text = "".join(dice.choices(_ALLOWED, k=17))
        elif kind == 3:
            at = dice.randrange(17)
            text = (
                text[:at] + dice.choice(_ODD) + text[at + 1 :]
                if dice.random() < 0.5
                else text[: dice.randrange(12, 17)]
            )
        yield text


def _sound(dice: random.Random) -> str:
    text = dice.choice(_MAKERS) + "".join(dice.choices(_ALLOWED, k=14))
    return next(made for digit in _CHECK if check_digit_holds(made := f"{text[:8]}{digit}{text[9:]}"))
