"""``repaircore regions``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.options import Yes, an_id
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.facilities.model import Facility


app = commands("Manage the shops that labor rates come from.")

_Id = Annotated[
    int, typer.Argument(metavar="ID", callback=an_id, help="The region's id, from `regions list`.")
]
_City = Annotated[str | None, typer.Option("--city", metavar="CITY", help="Its city.")]
_State = Annotated[str | None, typer.Option("--state", metavar="STATE", help="Its state: CA, or California.")]
_Zip = Annotated[str | None, typer.Option("--zip", metavar="ZIP", help="Its ZIP code, which locates it.")]
_Country = Annotated[str | None, typer.Option("--country", metavar="COUNTRY", help="Its country.")]
_Rate = Annotated[
    str | None,
    typer.Option("--rate", metavar="DOLLARS", help="Its labor rate per hour."),
]


@app.command("list", epilog="Example: repaircore regions list --state CA", opening=reading, rows=True)
def list_(
    core: "Core",
    *,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Words in the name, the city or the ZIP code.")
    ] = "",
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only in this state.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="The maximum number of regions.")
    ] = 100,
) -> Output:
    """List regions by name."""
    from repaircore.facilities.views import FacilityView
    from repaircore.kernel.paging import PageRequest

    page = core.facilities.page(search=search, state=state or None, request=PageRequest(per_page=limit))
    yield [FacilityView.of(region) for region in page]
    print_rows(
        ("id", "name", "city", "state", "ZIP", "an hour", "invoices"),
        [
            (
                region.id,
                region.name,
                region.city,
                region.state,
                region.zip_code,
                _rate_text(region),
                region.sample_size or None,
            )
            for region in page
        ],
        none=none_of("regions", search, state),
    )
    if page.total > limit:
        typer.echo(f"{page.total - limit:,} more: use --limit, --search or --state.", err=True)


@app.command(epilog="Example: repaircore regions show 3", opening=reading)
def show(core: "Core", *, region_id: _Id) -> Output:
    """Show a region."""
    region = core.facilities.get(region_id)
    yield from _print(region)


@app.command(epilog="Example: repaircore regions add 'Main Street Garage' --zip 43215 --rate 128.50")
def add(
    core: "Core",
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name.")],
    city: _City = None,
    state: _State = None,
    zip_code: _Zip = None,
    country: _Country = None,
    rate: _Rate = None,
) -> Output:
    """Add a region."""
    from repaircore.facilities.model import CreateFacility

    fields = _fields(
        facility_name=name, city=city, state=state, zip_code=zip_code, country=country, rate=rate
    )
    region = core.facilities.create(CreateFacility(**fields))
    yield from _print(region)


@app.command(epilog="Example: repaircore regions change 3 --rate 131")
def change(
    core: "Core",
    *,
    region_id: _Id,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Its name.")] = None,
    city: _City = None,
    state: _State = None,
    zip_code: _Zip = None,
    country: _Country = None,
    rate: _Rate = None,
) -> Output:
    """Change the given fields of a region; an empty value ('') clears a field."""
    fields = _fields(
        facility_name=name, city=city, state=state, zip_code=zip_code, country=country, rate=rate
    )
    region = core.facilities.update(region_id, **fields)
    yield from _print(region)


@app.command(epilog="Example: repaircore regions remove 3 --yes")
def remove(
    core: "Core",
    *,
    region_id: _Id,
    yes: Yes = False,
) -> Output:
    """Remove a region that nothing refers to."""
    region = core.facilities.get(region_id)
    confirm(f"Remove {region.name} and its labor rate?", yes=yes)
    core.facilities.delete(region_id)
    yield {"id": region_id, "removed": True}
    typer.echo(f"{region.name} was removed.")


@app.command(epilog="Example: repaircore regions recalculate")
def recalculate(core: "Core") -> Output:
    """Set each region's labor rate to the median of its invoices, if there are at least 5 of them."""
    from repaircore.facilities.views import RecalculationView

    result = core.facilities.recalculate()
    yield RecalculationView.of(result)
    typer.echo(result.text)


def _fields(*, rate: str | None, **texts: str | None) -> dict[str, Any]:
    """Return the given fields, with the rate as a number; an empty rate clears the field.

    Raises:
        Invalid: the rate is not an amount.
    """
    from repaircore.facilities.csv_file import parse_rate

    fields: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if rate is not None:
        fields["avg_labor_rate"] = parse_rate(rate) if rate.strip() else None
    return fields


def _print(region: "Facility") -> Output:
    from repaircore.facilities.views import FacilityView

    yield FacilityView.of(region)
    source = f"the median of {counted(region.sample_size, 'invoice')}" if region.sample_size else "as entered"
    rate = _rate_text(region)
    rows = (
        ("Id", region.id),
        ("Name", region.name),
        ("City", region.city),
        ("State", region.state),
        ("ZIP code", region.zip_code),
        ("Country", region.country),
        ("An hour", f"{rate} ({source})" if rate else "unknown"),
        ("Since", f"{region.created_at:%Y-%m-%d}"),
    )
    for label, value in rows:
        if value is not None:
            typer.echo(f"{label:10}{value}")


def _rate_text(region: "Facility") -> str | None:
    return f"${region.avg_labor_rate / 100:,.2f}" if region.avg_labor_rate else None
