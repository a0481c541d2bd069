"""``repaircore doctor``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import AsJson
from repaircore_cli.session import commands, unopened
from repaircore_cli.terminal import print_json, print_text

if TYPE_CHECKING:
    from repaircore.checkup.model import CheckResult
    from repaircore.core import Core


app = commands("Check the installation.")


@app.command(epilog="Example: repaircore doctor --json", opening=unopened)
def doctor(
    core: "Core",
    *,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every row and recompute every sum; this takes a while.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation, and show how to fix problems; exits with status 1 if there are any."""
    settings = core.settings.shown()
    report = core.checkup.examine(deep=deep)
    if as_json:
        print_json({"ok": not report.wrong, "settings": settings, "findings": report.findings})
    else:
        for name, value in settings.items():
            print_text(f"  {name} = {'' if value is None else value}", indent="    ")
        for finding in report.findings:
            print_text(_line(finding), indent="   ")
        wrong, total = len(report.wrong), len(report.findings)
        typer.echo(f"{wrong} of {total} checks failed." if wrong else "All checks passed.")
    if report.wrong:
        raise typer.Exit(1)


def _line(finding: "CheckResult") -> str:
    if finding.wrong:
        return f"!! {finding.name}: {finding.value} - {finding.wrong}"
    return f"ok {finding.name}: {finding.value}"
