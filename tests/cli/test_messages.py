"""``repaircore messages``."""

from collections.abc import Iterator

import pytest
from tests.cli.conftest import Cli

from repaircore.core import Core, build
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, NewMessage
from repaircore.settings import Settings


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    opened = build(Settings(database_url=sqlite_url))
    with opened.storage.transaction() as work:
        for about in ("ride_1", "ride_2"):
            text = NewMessage(
                channel=Channel.SMS,
                environment=Environment.TEST,
                recipient="+13105550123",
                subject="",
                body=f"Where are you? {about}",
                about=about,
            )
            work.messages.add(text, opened.clock())
    yield opened
    opened.close()


@pytest.mark.usefixtures("core")
def test_list_shows_the_messages_about_a_record(cli: Cli) -> None:
    (message,) = cli("messages", "list", "--about", "ride_1", "--json").json

    assert (message["channel"], message["state"], message["environment"]) == ("sms", "sent", "test")
    assert (message["recipient"], message["body"]) == ("+13105550123", "Where are you? ride_1")
    assert "Where are you? ride_2" in cli("messages", "list").out


@pytest.mark.usefixtures("core")
def test_list_shows_one_environment(cli: Cli) -> None:
    found = {
        name: {each["about"] for each in cli("messages", "list", "--environment", name, "--json").json}
        for name in ("test", "live")
    }

    assert found == {"test": {"ride_1", "ride_2"}, "live": set()}
    assert "No messages match" in cli("messages", "list", "--environment", "live").err


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize(
    "odd", [("--environment", "prod"), ("--state", "lost"), ("--channel", "pigeon"), ("--limit", "0")]
)
def test_bad_option_is_refused(cli: Cli, odd: tuple[str, str]) -> None:
    assert cli("messages", "list", *odd).status != 0
