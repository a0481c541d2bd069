"""Options and arguments of the garage commands."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.callers import Caller

Vehicle = Annotated[str, typer.Argument(metavar="VEHICLE", help="The vehicle's VIN, or its id.")]
Owner = Annotated[
    str | None,
    typer.Option("--email", metavar="EMAIL", help="The owner's e-mail; the installation itself if omitted."),
]
Day = Annotated[
    str | None, typer.Option("--on", metavar="DATE", help="The day: 2026-12-01; today if omitted.")
]


def caller_of(core: "Core", email: str | None, *, test: bool) -> "Caller":
    """Return a garage's owner: the account with this e-mail, or the installation itself if ``email`` is None."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL, Environment

    found = LOCAL if email is None else core.accounts.caller_for(email)
    return evolve(found, environment=Environment.TEST) if test else found
