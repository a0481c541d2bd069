"""``repaircore visit``."""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore_cli.predict import Force
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Estimate several repairs of one vehicle in one visit.")

_LINE: Final = re.compile(r"(?:(part|labor|fee):)?(.*)=\s*\$?([0-9.,]+)\s*(h?)\s*", re.DOTALL)
_AMOUNT: Final = re.compile(r"\$?([0-9][0-9.,]*)\s*(%?)", re.DOTALL)


@app.command(
    epilog="Example: repaircore visit 1HGCM82633A004352 90210 timing-belt water-pump serpentine-belt --supplies usual"
)
def visit(
    core: "Core",
    *,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[VIN] ZIP PROBLEM...",
            help="The vehicle's VIN (not with --year, --make and --model), the shop's ZIP code, and the repairs:"
            " slugs or ids from `repaircore problems list`.",
        ),
    ],
    tier: Annotated[
        list[str] | None,
        typer.Option(
            "--tier",
            metavar="TIER",
            help="The grade of the parts: economy, aftermarket or oem; of one repair as brake-pads-front=oem.",
        ),
    ] = None,
    line: Annotated[
        list[str] | None,
        typer.Option(
            "--line",
            metavar="WORDS=PRICE",
            help='A line of your own: "Towing=80", "part:Bolts=12.50", "labor:Rust removal=0.5h".',
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
        typer.Option("--tax", metavar="PERCENT", help="The sales tax rate of the place, if you know it."),
    ] = None,
    no_tax: Annotated[bool, typer.Option("--no-tax", help="Leave sales tax out.")] = False,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
    ] = None,
    year: Annotated[
        int | None, typer.Option("--year", metavar="YEAR", help="The model year, without a VIN.")
    ] = None,
    make: Annotated[
        str | None, typer.Option("--make", metavar="MAKE", help="The make, without a VIN.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="The model, without a VIN.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="ENGINE", help='The engine, without a VIN: "2.0T", "V6".'),
    ] = None,
    force: Force = False,
) -> Output:
    """Estimate several repairs of one vehicle in one visit: labor in common counts once."""
    from repaircore.kernel.errors import Invalid
    from repaircore.visits.views import VisitEstimateView
    from repaircore_cli.visit_page import page

    is_by_specs = any(part is not None for part in (year, make, model))
    vin, (zip_code, *problems) = (None, words) if is_by_specs else (words[0], words[1:] or [""])
    data = {
        "vin": vin,
        "year": year,
        "make": make,
        "model": model,
        "engine": engine,
        "zip_code": zip_code,
        "mileage": mileage,
        "lines": [*_repairs(problems, tier or ()), *map(_own_line, line or ())],
        "shop_supplies": None if supplies is None else _supplies(supplies),
        "discount": None if discount is None else _amount("discount", discount),
        "sales_tax": not no_tax,
        "sales_tax_percent": tax,
        "force": force,
    }
    try:
        estimate = core.visit_estimates.estimate(core.visit_estimates.parse(data))
    except Invalid as invalid:
        raise Invalid(_with_suggestions(core, problems, invalid.fields)) from None
    yield VisitEstimateView.of(estimate)
    sys.stdout.write(page(estimate, look()))


def _repairs(problems: Sequence[str], tiers: Sequence[str]) -> Sequence[dict[str, Any]]:
    of_one = {name: tier for name, sign, tier in (text.rpartition("=") for text in tiers) if sign}
    of_all = next((text for text in tiers if "=" not in text), None)
    unknown = sorted(of_one.keys() - {*problems})
    if unknown:
        raise _invalid("tier", f"names a repair that is not in the visit: {', '.join(unknown)}")
    return [{"problem_identifier": one, "parts_tier": of_one.get(one, of_all)} for one in problems]


def _own_line(text: str) -> dict[str, Any]:
    found = _LINE.fullmatch(text)
    number = None if found is None else _number(found[3])
    if found is None or number is None:
        raise _invalid("line", 'must be words and a price, such as "Towing=80" or "labor:Rust removal=0.5h"')
    kind, words, hours = found[1] or "fee", found[2].strip(), bool(found[4])
    return {"kind": kind, "description": words, "labor_hours" if hours else "price": number}


def _supplies(text: str) -> dict[str, Any]:
    return {} if text.strip().casefold() == "usual" else _amount("supplies", text)


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


def _with_suggestions(
    core: "Core", problems: Sequence[str], fields: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """Add the repairs that were probably meant to the errors about unknown ones."""
    found = dict(fields)
    for place, problem in enumerate(problems):
        name = f"lines.{place}.problem_identifier"
        suggestion = core.problems.suggest(problem) if name in found else None
        if suggestion is not None:
            found[name] = (*found[name], f"Did you mean {suggestion.slug}?")
    return found
