"""The application for gunicorn: ``gunicorn 'repaircore_http.wsgi:make_app()'``."""

import os
from contextlib import suppress
from importlib import import_module
from typing import Final

from repaircore.core import Core, build
from repaircore.diagnosis.reading import read
from repaircore.kernel.errors import Failure
from repaircore.logs import configure_logging
from repaircore.settings import Settings
from repaircore_http.app import Api
from repaircore_http.draining import DRAIN
from repaircore_http.service import serve_core

_VIN: Final = "1HGCM82633A004352"
"""A well-known VIN, to decode in advance."""
_ZIP_CODE: Final = "90210"

_IMPORTED_LATER: Final = (
    "argon2",
    "email_validator",
    "encodings.idna",
    "flask_swagger_ui",
    "uuid_utils.compat",
)
"""Modules that some requests import first; processes share them if they are loaded early."""


def make_app() -> Api:
    """Return the application, with its settings from the environment variables."""
    settings = Settings.from_env(os.environ)
    configure_logging(settings.log_format, settings.log_level)
    DRAIN.seconds = settings.drain_seconds
    served = build(settings)
    served.share_metrics()
    served.prepare()
    for _ in (
        served.jobs,
        served.readiness,
        served.dispatch,
    ):  # loaded here so that the jobs process shares them
        pass
    app = serve_core(served)
    app.url_map.update()  # sort the routes now, which otherwise the first request of each process would do
    _preload(served)
    served.storage.close()  # each forked process connects for itself
    return app


def _preload(served: Core) -> None:
    """Load what the first request would otherwise load, so that forked processes share it.

    Each process checks whether the book in the database is still the same.
    """
    for name in _IMPORTED_LATER:
        with suppress(ImportError):
            import_module(name)
    served.vehicles.decoder.decode(_VIN)
    served.facilities.zip_codes.find(_ZIP_CODE)
    with suppress(Failure):  # if the database is not responding, each process loads this later
        read("It squeals when braking", served.diagnoses.knowledge())
        served.problems.search("brakes", limit=1)
        served.quotes.read("Front brake pads 350")
