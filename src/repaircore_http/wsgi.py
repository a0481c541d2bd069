"""The application for gunicorn: ``gunicorn 'repaircore_http.wsgi:make_app()'``."""

import os

from repaircore.core import build
from repaircore.logs import configure_logging
from repaircore.settings import Settings
from repaircore_http.app import Api
from repaircore_http.draining import DRAIN
from repaircore_http.service import serve_core


def make_app() -> Api:
    """Return the application with the settings of the environment."""
    settings = Settings.from_env(os.environ)
    configure_logging(settings.log_format, settings.log_level)
    DRAIN.seconds = settings.drain_seconds
    served = build(settings)
    served.share_metrics()
    served.prepare()
    return serve_core(served)
