"""The commands shared by `drivers` and `businesses`, which manage directories of providers."""

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from attrs import frozen

from repaircore_cli.file_imports import Run, import_command
from repaircore_cli.options import Yes, environment_named, operator
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.callers import Caller
    from repaircore.providers.service import Directory


_Directory: TypeAlias = "Directory[Any, Any]"

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name.")]
_Phone = Annotated[str, typer.Argument(metavar="PHONE", help="The phone number, which identifies them.")]
_Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, from `list`.")]
_Latitude = Annotated[
    str,
    typer.Option(
        "--latitude", metavar="DEGREES", help="The latitude where they are based.", show_default=False
    ),
]
_Longitude = Annotated[
    str,
    typer.Option(
        "--longitude", metavar="DEGREES", help="The longitude where they are based.", show_default=False
    ),
]
_Radius = Annotated[
    str, typer.Option("--radius", metavar="MILES", help="How far they travel, 25 by default.")
]
_TimeZone = Annotated[
    str,
    typer.Option(
        "--time-zone", metavar="ZONE", help="Their time zone, such as America/New_York.", show_default=False
    ),
]
_Hours = Annotated[
    str,
    typer.Option(
        "--hours", metavar="HOURS", help="When they work: always, or hours such as 'mon-fri 08:00-17:00'."
    ),
]
_Active = Annotated[
    bool, typer.Option("--active/--inactive", help="Whether they get requests.", show_default=False)
]
_Offers = Annotated[
    str,
    typer.Option(
        "--offers",
        metavar="automatic|asked",
        help="Whether to make an offer for every ride automatically, or to ask them by message first. By default, asked in live and automatic in test.",
    ),
]
_Email = Annotated[
    str, typer.Option("--email", metavar="E-MAIL", help="Where requests go if no SMS can be sent.")
]
_Webhook = Annotated[
    str,
    typer.Option(
        "--webhook-url", metavar="URL", help="The URL of their own program, which receives the requests."
    ),
]
_Plate = Annotated[str, typer.Option("--plate", metavar="PLATE", help="The license plate of their vehicle.")]
_Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="The maximum number to list.")
]
_InEnvironment = Annotated[
    str,
    typer.Option(
        "--environment", metavar="test|live", help="The environment of the directory.", show_default=True
    ),
]


@frozen(kw_only=True)
class Trade:
    """What the shared commands need to know about a trade, such as drivers.

    ``abilities`` and ``extra`` are the columns that only this trade has, each with its option for `add`. ``purpose``
    and the examples appear in the help.
    """

    command: str
    singular: str
    plural: str
    purpose: str
    directory: Callable[["Core"], _Directory]
    view: Callable[[Any], Any]
    abilities: tuple[str, Any]
    extra: tuple[str, Any]
    example: str
    example_ref: str


def directory_app(trade: Trade) -> typer.Typer:
    """Return the commands that manage a trade's directory."""
    app = commands(trade.purpose)
    command = trade.command

    @app.command(help=f"Add a {trade.singular}.", epilog=f"Example: repaircore {command} add {trade.example}")
    def add(
        core: "Core",
        *,
        name: _Name,
        phone: _Phone,
        abilities: Annotated[str, trade.abilities[1]],
        latitude: _Latitude,
        longitude: _Longitude,
        time_zone: _TimeZone,
        radius: _Radius = "",
        hours: _Hours = "",
        extra: Annotated[str, trade.extra[1]] = "",
        active: _Active = True,
        offers: _Offers = "",
        email: _Email = "",
        webhook_url: _Webhook = "",
        plate: _Plate = "",
        environment: _InEnvironment = "live",
    ) -> Output:
        cells = {
            "name": name,
            "phone": phone,
            trade.abilities[0]: abilities,
            trade.extra[0]: extra,
            "latitude": latitude,
            "longitude": longitude,
            "radius_miles": radius,
            "time_zone": time_zone,
            "hours": hours,
            "active": "yes" if active else "no",
            "offers": offers,
            "email": email,
            "webhook_url": webhook_url,
            "plate": plate,
        }
        caller = _operator_in(environment)
        provider = trade.directory(core).add(cells, caller)
        yield trade.view(provider)
        typer.echo(f"{provider.ref}  {provider.name}")

    @app.command(
        "list",
        help=f"List {trade.plural}, oldest first.",
        epilog=f"Example: repaircore {command} list --environment test",
        opening=reading,
        rows=True,
    )
    def list_(core: "Core", *, limit: _Limit = 100, environment: _InEnvironment = "live") -> Output:
        caller = _operator_in(environment)
        providers = list(islice(trade.directory(core).all(caller.environment), limit + 1))
        yield [*map(trade.view, providers[:limit])]
        abilities = trade.abilities[0].replace("_", " ")
        print_rows(
            ("reference", "id", "name", "phone", abilities, "radius (miles)", "active", "offers"),
            [*map(_row, providers[:limit])],
            none=none_of(trade.plural),
        )
        if len(providers) > limit:
            typer.echo("There are more: use --limit.", err=True)

    @app.command(
        "import",
        help=f"""Import {trade.plural} from a CSV file: add new ones and update existing ones.

        A {trade.singular} is identified by phone number. Empty cells change nothing. When an import is interrupted, run the command
        again to resume it.
        """,
        epilog=f"Example: repaircore {command} import {command}.csv --dry-run",
    )
    @import_command
    def import_(core: "Core", run: Run, *, environment: _InEnvironment = "live") -> None:
        caller = _operator_in(environment)
        run(
            lambda upload, options: trade.directory(core).import_file(upload, options, caller),
            test=environment == "test",
            updates=True,
        )

    @app.command(
        help=f"Remove a {trade.singular}. One with rides or offers is deactivated instead, and gets no more requests.",
        epilog=f"Example: repaircore {command} remove {trade.example_ref} --yes",
    )
    def remove(core: "Core", *, ref: _Ref, yes: Yes = False, environment: _InEnvironment = "live") -> Output:
        caller = _operator_in(environment)
        provider = trade.directory(core).get(ref, caller)
        confirm(f"Remove {provider.name}?", yes=yes)
        is_removed = trade.directory(core).remove(ref, caller)
        yield {"ref": ref, "removed": is_removed}
        if is_removed:
            typer.echo(f"{provider.name} was removed.")
        else:
            typer.echo(f"{provider.name} has rides or offers, and was deactivated instead.")

    app.add_typer(keys_app(trade), name="keys")
    return app


def keys_app(trade: Trade) -> typer.Typer:
    """Return the commands that manage keys for the programs of a trade's providers."""
    app = commands(f"Manage the keys that the programs of {trade.plural} use to answer requests.")
    command = f"{trade.command} keys"

    @app.command(
        help=f"Create a key for a {trade.singular}. It is shown once, with the secret that signs their webhooks.",
        epilog=f"Example: repaircore {command} create {trade.example_ref}",
    )
    def create(core: "Core", *, ref: _Ref, environment: _InEnvironment = "live") -> Output:
        from repaircore.dispatch.views import CreatedProviderKeyView

        caller = _operator_in(environment)
        provider = trade.directory(core).get(ref, caller)
        created = core.provider_keys.create(ref, caller)
        secret = core.provider_webhook_secrets.secret(ref)
        yield CreatedProviderKeyView.created(created.key, created.text, webhook_secret=secret)
        typer.echo(f"Key for {provider.name}: {created.text}")
        typer.echo(f"Webhook secret: {secret}")
        typer.echo("The key will not be shown again.", err=True)

    @app.command(
        "list",
        help=f"List the keys of a {trade.singular}, oldest first.",
        epilog=f"Example: repaircore {command} list {trade.example_ref}",
    )
    def list_(core: "Core", *, ref: _Ref, environment: _InEnvironment = "live") -> Output:
        from repaircore.dispatch.views import ProviderKeyView

        caller = _operator_in(environment)
        trade.directory(core).get(ref, caller)
        keys = core.provider_keys.list_for(ref, caller)
        yield [*map(ProviderKeyView.of, keys)]
        print_rows(
            ("ends with", "created", "revoked"),
            [(key.last4, f"{key.created_at:%Y-%m-%d}", "yes" if key.revoked_at else "no") for key in keys],
        )

    @app.command(
        help=f"Revoke all keys of a {trade.singular}.",
        epilog=f"Example: repaircore {command} revoke {trade.example_ref} --yes",
    )
    def revoke(core: "Core", *, ref: _Ref, yes: Yes = False, environment: _InEnvironment = "live") -> Output:
        caller = _operator_in(environment)
        provider = trade.directory(core).get(ref, caller)
        confirm(f"Revoke the keys of {provider.name}?", yes=yes)
        revoked = core.provider_keys.revoke(ref, caller)
        yield {"ref": ref, "revoked": revoked}
        typer.echo(f"{revoked} {'key was' if revoked == 1 else 'keys were'} revoked.")

    return app


def _row(provider: Any) -> tuple[object, ...]:
    return (
        provider.ref,
        provider.id,
        provider.name,
        provider.phone,
        ", ".join(sorted(provider.abilities)),
        f"{provider.radius_miles:g}",
        "yes" if provider.active else "no",
        provider.offers,
    )


def _operator_in(environment: str) -> "Caller":
    """Return the installation as a caller in the named environment."""
    from repaircore.kernel.callers import Environment

    return operator(test=environment_named(environment) is Environment.TEST)
