"""Asking back: passwords, and whether something is really meant."""

import sys

import typer


def password(*, from_stdin: bool) -> str:
    """Read a password: the first line of the input, or twice at a prompt that does not show it.

    Raises:
        UsageError: there is nobody to ask.
    """
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: use --password-stdin")
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return typed


def confirm(question: str, *, yes: bool) -> None:
    """Go on only when it is meant.

    Raises:
        Abort: it is not.
        UsageError: there is nobody to ask.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: use --yes")
    typer.confirm(question, abort=True, err=True)
