"""The application for gunicorn: ``gunicorn 'repaircore_http.wsgi:make_app()'``."""

import os

from repaircore.core import Core, build
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
    for _ in (served.jobs, served.readiness):  # which the process of the jobs shares
        pass
    app = serve_core(served)
    _read_shipped_data(served)
    served.storage.close()  # whoever is forked from here connects for itself
    return app


def _read_shipped_data(served: Core) -> None:
    """Read what is otherwise read at the first request: ZIP codes and VIN data, 70 MB, which forked workers share."""
    served.facilities.zip_codes.find("10001")
    served.vehicles.decoder.decode("1HGCM82633A004352")
