"""Gunicorn's log, in the format of the service's own log."""

import os
from typing import Any

from gunicorn.glogging import Logger
from typing_extensions import override

from repaircore.logs import formatter
from repaircore.settings import Settings


class ServerLog(Logger):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's log; its lines about failed requests contain addresses, which our format masks."""

    @override
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        lines = formatter(Settings.from_env(os.environ).log_format)
        for handler in self.error_log.handlers:
            handler.setFormatter(lines)
