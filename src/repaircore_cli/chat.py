"""``repaircore chat``."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import AsJson
from repaircore_cli.session import commands
from repaircore_cli.terminal import look, print_json_line

if TYPE_CHECKING:
    from uuid import UUID

    from repaircore.chat.model import Chat, Suspect
    from repaircore.chat.service import ChatTurn
    from repaircore.core import Core
    from repaircore.diagnosis.danger import DriverSafety
    from repaircore.diagnosis.model import OpenQuestion


app = commands("Diagnose a vehicle through questions and answers.")

_SYMPTOM_PROMPT = "What is wrong with the vehicle?"


@app.command(epilog='Example: repaircore chat "grinds when braking" --vin 1HGCM82633A004352')
def chat(
    core: "Core",
    *,
    symptom: Annotated[
        str | None,
        typer.Argument(
            help="What is wrong, in your own words; prompted for when omitted.", show_default=False
        ),
    ] = None,
    vin: Annotated[str | None, typer.Option("--vin", metavar="VIN", help="The vehicle's VIN.")] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="FILE", help="A photo of the VIN or of the dashboard."),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Continue an earlier chat.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Diagnose a vehicle through questions and answers.

    Answer each question with yes, no, unsure, or in your own words. Answers may be piped in, one per line.
    """
    if session is not None and (symptom or vin or image):
        raise typer.BadParameter(
            "cannot be combined with a new symptom, VIN or image", param_hint="--session"
        )
    terminal = _ChatTerminal(core, as_json=as_json)
    if session is not None:
        terminal.resume(_session(session))
    else:
        terminal.start(symptom or _prompt(_SYMPTOM_PROMPT), vin, image)
    if not terminal.run():
        raise typer.Exit(1)


class _ChatTerminal:
    """A chat with a person at a terminal, or with a program through a pipe."""

    def __init__(self, core: "Core", *, as_json: bool) -> None:
        self._chats = core.chats
        self._as_json = as_json
        self._chat: Chat
        self._shown_safety: DriverSafety | None = None

    def start(self, symptom: str, vin: str | None, image: str | None) -> None:
        """Start a chat, and show its first turn."""
        with ExitStack() as open_files:
            photo = None if image is None else open_files.enter_context(Path(image).open("rb"))
            self._show(self._chats.start(symptom, vin=vin, image=photo))

    def resume(self, session_id: "UUID") -> None:
        """Show the open question of an earlier chat."""
        from repaircore.chat.service import ChatTurn

        history = self._chats.show(session_id)
        history.chat.require_question(self._chats.clock())
        self._show(ChatTurn(chat=history.chat, status=history.status, notes=()))

    def run(self) -> bool:
        """Answer questions until none are left; return False if the input ends first."""
        while self._chat.question is not None:
            answer = _read_line("" if self._as_json else "> ")
            if answer is None:
                typer.echo(f"Continue with: repaircore chat --session {self._chat.session_id}", err=True)
                return False
            self._answer(answer)
        return True

    def _answer(self, answer: str) -> None:
        from repaircore.kernel.errors import Invalid

        try:
            self._show(self._chats.reply(self._chat.session_id, answer))
        except Invalid as invalid:
            if not sys.stdin.isatty():
                raise
            typer.echo(invalid.message, err=True)

    def _show(self, turn: "ChatTurn") -> None:
        self._chat = turn.chat
        if self._as_json:
            from repaircore.chat.views import ChatTurnView

            print_json_line(ChatTurnView.of(turn.chat, turn.status, turn.notes))
            return
        self._show_safety(turn.chat)
        for note in turn.notes:
            typer.echo(note)
        question = turn.chat.question
        sys.stdout.write(_question_text(question) if question is not None else _diagnosis_text(turn.chat))
        sys.stdout.flush()

    def _show_safety(self, chat: "Chat") -> None:
        """Show the safety warnings whenever they have changed."""
        from repaircore_cli.diagnosis_page import warnings

        if chat.safety != self._shown_safety:
            for line in warnings(chat.safety, look().width):
                typer.echo(line)
        self._shown_safety = chat.safety


def _prompt(question: str) -> str:
    if sys.stdin.isatty():
        typer.echo(question, err=True)
    return _read_line("> ") or ""


def _read_line(prompt: str) -> str | None:
    """Return the next line of standard input, or None at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write(prompt)
        sys.stderr.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def _question_text(question: "OpenQuestion") -> str:
    why = f"   {question.why}\n" if question.why else ""
    return f"{question.text} ({'/'.join(question.options)})\n{why}"


def _diagnosis_text(chat: "Chat") -> str:
    head = "Most likely needed:" if chat.enough else "This is a first guess:"
    return "\n".join([head, *(_suspect(suspect) for suspect in chat.diagnosis)]) + "\n"


def _suspect(suspect: "Suspect") -> str:
    why = [f"        {reason.text} ({reason.weight:+.1f} bits)" for reason in suspect.why[:3]]
    return "\n".join([f"{suspect.confidence:5.1f}%  {suspect.display_name} ({suspect.slug})", *why])


def _session(text: str) -> "UUID":
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter("must be the UUID of a chat", param_hint="--session") from None
