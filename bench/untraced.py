"""The application without its trace of when a key was last used: the yardstick of that trace."""

import os
from datetime import datetime

from attrs import evolve
from typing_extensions import override

from repaircore.accounts.model import CredentialHash
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.core import build
from repaircore.logs import configure_logging
from repaircore.settings import Settings
from repaircore_http.app import Api
from repaircore_http.service import serve_core


class _Untraced(SqlCredentials):
    @override
    def record_use(self, presented: CredentialHash, *, at: datetime) -> None:
        pass


def make_app() -> Api:
    """Make the application that the environment's settings describe, which never writes when a key was used."""
    settings = Settings.from_env(os.environ)
    configure_logging(settings.log_format)
    core = build(settings)
    core.prepare()
    accounts = evolve(core.accounts, credentials=_Untraced(core.storage.driver))
    return serve_core(core.replacing(accounts=accounts))
