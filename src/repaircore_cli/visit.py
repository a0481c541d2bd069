"""``repaircore visit``."""

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore_cli.completion import problem_slugs
from repaircore_cli.predict import Engine, Force, Make, Mileage, Model, Trim, Year
from repaircore_cli.repairs import profile_of_specs, profile_of_vin, with_repairs
from repaircore_cli.session import Output, commands, reading_shipped
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.profile import VehicleProfile
    from repaircore.visits.model import Estimate


app = commands("Estimate several repairs of one vehicle in one visit.")

_LINE: Final = re.compile(r"(?:(part|labor|fee):)?(.*)=\s*\$?([0-9.,]+)\s*(h?)\s*", re.DOTALL)
_AMOUNT: Final = re.compile(r"\$?([0-9][0-9.,]*)\s*(%?)", re.DOTALL)


@app.command(
    epilog="Example: repaircore visit 1HGCM82633A004352 90210 timing-belt water-pump serpentine-belt --supplies usual",
    opening=reading_shipped,
)
def visit(
    core: "Core",
    *,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[VIN] ZIP PROBLEM...",
            help="The vehicle's VIN (not with --year, --make and --model), the shop's ZIP code, and the repairs:"
            " slugs or ids from `repaircore problems list`, or words such as 'front brake pads'.",
            autocompletion=problem_slugs,
        ),
    ],
    tier: Annotated[
        list[str] | None,
        typer.Option(
            "--parts-tier",
            metavar="TIER",
            help="The grade of the parts: economy, aftermarket or oem; for a single repair: brake-pads-front=oem.",
        ),
    ] = None,
    line: Annotated[
        list[str] | None,
        typer.Option(
            "--line",
            metavar="WORDS=PRICE",
            help='A custom line: "Towing=80", "part:Bolts=12.50", "labor:Rust removal=0.5h".',
        ),
    ] = None,
    supplies: Annotated[
        str | None,
        typer.Option(
            "--supplies",
            metavar="RULE",
            help='Shop supplies: "usual", a percentage of labor "7%", or an amount.',
        ),
    ] = None,
    discount: Annotated[
        str | None,
        typer.Option(
            "--discount", metavar="AMOUNT", help='A discount on parts and labor: "10%" or an amount.'
        ),
    ] = None,
    tax: Annotated[
        float | None,
        typer.Option("--tax", metavar="PERCENT", help="The local sales tax rate, if you know it."),
    ] = None,
    no_tax: Annotated[bool, typer.Option("--no-tax", help="Leave sales tax out.")] = False,
    mileage: Mileage = None,
    year: Year = None,
    make: Make = None,
    model: Model = None,
    trim: Trim = None,
    engine: Engine = None,
    force: Force = False,
) -> Output:
    """Estimate several repairs of one vehicle in one visit; shared labor is counted once."""
    from repaircore.visits.views import VisitEstimateView
    from repaircore_cli.visit_page import page

    is_by_specs = any(part is not None for part in (year, make, model))
    needed = ["ZIP"] if is_by_specs else ["VIN", "ZIP"]
    if len(words) < len(needed) + (not line):
        raise typer.BadParameter(f"Enter {', '.join(needed)} and at least one PROBLEM or --line.")
    vin, (zip_code, *problems) = (None, words) if is_by_specs else (words[0], words[1:])
    bad: dict[str, list[str]] = {}
    data = {
        "vin": vin,
        "year": year,
        "make": make,
        "model": model,
        "trim": trim,
        "engine": engine,
        "zip_code": zip_code,
        "mileage": mileage,
        "shop_supplies": None if supplies is None else _read(_supplies, supplies, bad),
        "discount": None if discount is None else _read(_discount, discount, bad),
        "sales_tax": not no_tax,
        "sales_tax_percent": tax,
        "force": force,
    }

    own_lines = [_read(_own_line, text, bad) for text in line or ()]
    if bad:
        from repaircore.kernel.errors import Invalid

        raise Invalid(bad)

    def call(names: Sequence[str]) -> "Estimate":
        lines = [*_repairs(names, problems, tier or ()), *own_lines]
        return core.visit_estimates.estimate(core.visit_estimates.parse({**data, "lines": lines}))

    def profile() -> "VehicleProfile":
        return profile_of_specs(core, data) if vin is None else profile_of_vin(core, vin)

    estimate = with_repairs(core, problems, call, profile)
    yield VisitEstimateView.of(estimate)
    sys.stdout.write(page(estimate, look()))


def _read(read: Callable[[str], dict[str, Any]], text: str, bad: dict[str, list[str]]) -> dict[str, Any]:
    """Return what an option says, or {} if it cannot be read, and add the errors to ``bad``."""
    from repaircore.kernel.errors import Invalid

    try:
        return read(text)
    except Invalid as error:
        for name, sentences in error.fields.items():
            bad.setdefault(name, []).extend(sentences)
        return {}


def _repairs(names: Sequence[str], problems: Sequence[str], tiers: Sequence[str]) -> Sequence[dict[str, Any]]:
    """Return the lines for the repairs in ``names``; ``problems`` has the text typed for each, which ``tiers`` refer to.

    A tier without ``=`` applies to every repair that has none of its own.

    Raises:
        Invalid: on ``parts_tier``: it names a repair that is not in the visit.
    """
    of_one = {name: tier for name, sign, tier in (text.rpartition("=") for text in tiers) if sign}
    of_all = next((text for text in tiers if "=" not in text), None)
    unknown = sorted(of_one.keys() - {*problems})
    if unknown:
        raise _invalid("parts_tier", f"names a repair that is not in the visit: {', '.join(unknown)}")
    return [
        {"problem_identifier": problem, "parts_tier": of_one.get(typed, of_all)}
        for problem, typed in zip(names, problems, strict=True)
    ]


def _own_line(text: str) -> dict[str, Any]:
    found = _LINE.fullmatch(text)
    number = None if found is None else _number(found[3])
    if found is None or number is None:
        raise _invalid(
            "line",
            f'must be a description and a price or hours, such as "Towing=80" or "labor:Rust removal=0.5h", not "{text}"',
        )
    kind, words, hours = found[1] or "fee", found[2].strip(), bool(found[4])
    return {"kind": kind, "description": words, "labor_hours" if hours else "price": number}


def _supplies(text: str) -> dict[str, Any]:
    return {} if text.strip().casefold() == "usual" else _amount("supplies", text)


def _discount(text: str) -> dict[str, Any]:
    return _amount("discount", text)


def _amount(name: str, text: str) -> dict[str, Any]:
    found = _AMOUNT.fullmatch(text.strip())
    number = None if found is None else _number(found[1])
    if found is None or number is None:
        raise _invalid(name, 'must be a percentage or an amount, such as "10%" or "25"')
    return {"percent" if found[2] else "amount": number}


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _invalid(name: str, predicate: str) -> Exception:
    from repaircore.kernel.errors import Invalid
    from repaircore.kernel.rules import sentence

    return Invalid({name: [sentence(name, predicate)]})
