"""Gunicorn's own records, in the form of ours."""

import os
from typing import Any

from gunicorn.glogging import Logger
from typing_extensions import override

from repaircore.logs import formatter
from repaircore.settings import Settings


class ServerLog(Logger):  # type: ignore[misc] # gunicorn has no types
    """Writes as everything else does: what gunicorn tells of a request that failed names its address."""

    @override
    def setup(self, cfg: Any) -> None:
        """Set the log up as gunicorn does, then have it write records as ours are."""
        super().setup(cfg)
        lines = formatter(Settings.from_env(os.environ).log_format)
        for handler in self.error_log.handlers:
            handler.setFormatter(lines)
