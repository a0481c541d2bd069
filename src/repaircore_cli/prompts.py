"""Prompts for passwords and confirmations."""

import sys

import typer


def password(*, from_stdin: bool) -> str:
    """Read a password from the first line of standard input, or twice at a hidden prompt.

    Raises:
        UsageError: there is no terminal to prompt at.
    """
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise typer.BadParameter("cannot prompt without a terminal: use --password-stdin")
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return typed


def confirm(question: str, *, yes: bool) -> None:
    """Ask for confirmation unless ``yes``.

    Raises:
        Abort: the answer is no.
        UsageError: there is no terminal to prompt at.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("cannot prompt without a terminal: use --yes")
    typer.confirm(question, abort=True, err=True)
