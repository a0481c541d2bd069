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


app = commands("Find out by questions what is wrong with a vehicle.")

_WHAT = "What is wrong with the vehicle?"


@app.command(epilog='Example: repaircore chat "grinds when braking" --vin 1HGCM82633A004352')
def chat(
    core: "Core",
    *,
    symptom: Annotated[
        str | None,
        typer.Argument(
            help="What is wrong, in your own words; asked for when it is left out.", show_default=False
        ),
    ] = None,
    vin: Annotated[str | None, typer.Option("--vin", metavar="VIN", help="The vehicle's VIN.")] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="FILE", help="A photo of the VIN or of the dashboard."),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Go on with an earlier conversation.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find out by questions what is wrong with a vehicle.

    Each question takes yes, no, unsure, or what you notice in your own words; answers may be piped in, a line each.
    """
    if session is not None and (symptom or vin or image):
        raise typer.BadParameter(
            "an earlier conversation takes no new symptom, VIN or image", param_hint="--session"
        )
    talk = _Talk(core, as_json=as_json)
    if session is not None:
        talk.go_on(_session(session))
    else:
        talk.start(symptom or talk.asked(_WHAT), vin, image)
    if not talk.to_the_end():
        raise typer.Exit(1)


class _Talk:
    """A conversation at a terminal, or with a program at the other end of a pipe."""

    def __init__(self, core: "Core", *, as_json: bool) -> None:
        self._conversations = core.chats
        self._as_json = as_json
        self._chat: Chat
        self._warned: DriverSafety | None = None

    def start(self, symptom: str, vin: str | None, image: str | None) -> None:
        """Begin with what is wrong."""
        with ExitStack() as open_files:
            photo = None if image is None else open_files.enter_context(Path(image).open("rb"))
            self._tell(self._conversations.start(symptom, vin=vin, image=photo))

    def go_on(self, session_id: "UUID") -> None:
        """Take an earlier conversation up where it stands."""
        from repaircore.chat.service import ChatTurn

        told = self._conversations.show(session_id)
        told.chat.require_question(self._conversations.clock())
        self._tell(ChatTurn(chat=told.chat, status=told.status, notes=()))

    def to_the_end(self) -> bool:
        """Answer questions until there are none; False when the input ends before."""
        while self._chat.question is not None:
            answer = _line("> " if not self._as_json else "")
            if answer is None:
                typer.echo(f"It goes on with: repaircore chat --session {self._chat.session_id}", err=True)
                return False
            self._answer(answer)
        return True

    def asked(self, question: str) -> str:
        """Ask for something; at the end of the input, for nothing."""
        if sys.stdin.isatty():
            typer.echo(question, err=True)
        return _line("> ") or ""

    def _answer(self, answer: str) -> None:
        from repaircore.kernel.errors import Invalid

        try:
            self._tell(self._conversations.reply(self._chat.session_id, answer))
        except Invalid as invalid:
            if not sys.stdin.isatty():
                raise
            typer.echo(invalid.message, err=True)

    def _tell(self, told: "ChatTurn") -> None:
        self._chat = told.chat
        if self._as_json:
            from repaircore.chat.views import ChatTurnView

            print_json_line(ChatTurnView.of(told.chat, told.status, told.notes))
            return
        self._warn(told.chat)
        for note in told.notes:
            typer.echo(note)
        question = told.chat.question
        sys.stdout.write(_asking(question) if question is not None else _telling(told.chat))
        sys.stdout.flush()

    def _warn(self, chat: "Chat") -> None:
        """Say first what the driver must know, once each time that it changes."""
        from repaircore_cli.diagnosis_page import warnings

        if chat.safety != self._warned:
            for line in warnings(chat.safety, look().width):
                typer.echo(line)
        self._warned = chat.safety


def _line(prompt: str) -> str | None:
    """Read what is typed, None at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write(prompt)
        sys.stderr.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def _asking(question: "OpenQuestion") -> str:
    why = f"   {question.why}\n" if question.why else ""
    return f"{question.text} ({'/'.join(question.options)})\n{why}"


def _telling(chat: "Chat") -> str:
    head = "Most likely needed:" if chat.enough else "This is a first guess:"
    return "\n".join([head, *(_suspect(one) for one in chat.diagnosis)]) + "\n"


def _suspect(one: "Suspect") -> str:
    why = [f"        {reason.text} ({reason.weight:+.1f} bits)" for reason in one.why[:3]]
    return "\n".join([f"{one.confidence:5.1f} %  {one.display_name} ({one.slug})", *why])


def _session(text: str) -> "UUID":
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter("a session's id is a UUID", param_hint="--session") from None
