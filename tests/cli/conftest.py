"""The command line in this process, with its own database."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

from repaircore_cli.main import run


@frozen
class Outcome:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(durable: None, sqlite_url: str, capsys: pytest.CaptureFixture[str]) -> Cli:  # noqa: ARG001 - the doctor looks
    def call(*args: str) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            run(["--database", sqlite_url, *args])
        captured = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), captured.out, captured.err)

    return call
