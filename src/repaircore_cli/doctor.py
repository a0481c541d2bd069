"""``repaircore doctor``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import AsJson
from repaircore_cli.session import commands, unopened
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.checkup.model import CheckResult
    from repaircore.core import Core


app = commands("Check the installation.")


@app.command(epilog="Example: repaircore doctor --json", opening=unopened)
def doctor(
    core: "Core",
    *,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every row and add every sum up anew; this takes its time.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation: exit status 1 when something is wrong, and what to do about it."""
    settings = core.settings.shown()
    report = core.checkup.examine(deep=deep)
    if as_json:
        findings = [_shape(finding) for finding in report.findings]
        print_json({"ok": not report.wrong, "settings": settings, "findings": findings})
    else:
        for name, value in settings.items():
            typer.echo(f"  {name} = {'' if value is None else value}")
        for finding in report.findings:
            typer.echo(_line(finding))
        wrong, of = len(report.wrong), len(report.findings)
        typer.echo(f"{wrong} of {of} checks found something wrong." if wrong else "All is well.")
    if report.wrong:
        raise typer.Exit(1)


def _line(finding: "CheckResult") -> str:
    if finding.wrong:
        return f"!! {finding.name}: {finding.value} - {finding.wrong}"
    return f"ok {finding.name}: {finding.value}"


def _shape(finding: "CheckResult") -> dict[str, Any]:
    return {"name": finding.name, "value": finding.value, "wrong": finding.wrong}
