"""The vehicle catalog: what was sold, for forms that ask for a vehicle step by step."""

from collections.abc import Sequence
from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.rules import Length, Range
from repaircore_http.core import core
from repaircore_http.envelopes import DataList
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes
from repaircore_http.told.vehicles import EngineListed

catalog = Routes("catalog", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="catalog")

_Name = Annotated[str, Length(1, 100)]
_Year = Annotated[int, Range(1900, 2100)]


@frozen(kw_only=True)
class ListMakes:
    """The makes, of a year or of all."""

    year: _Year | None = None


@frozen(kw_only=True)
class ListModels:
    """The models of a make, of a year or of all."""

    make: _Name
    year: _Year | None = None


@frozen(kw_only=True)
class ListTrims:
    """The trims of a model in a year."""

    make: _Name
    model: _Name
    year: _Year


@frozen(kw_only=True)
class ListEngines:
    """The engines of a model in a year, or of one of its trims."""

    make: _Name
    model: _Name
    year: _Year
    trim: Annotated[str | None, Length(0, 100)] = None


@catalog.get("/makes", safe=True, accepts=ListMakes, query=ListMakes, returns=DataList[str])
def makes() -> Response:
    """List makes."""
    asked = read_query(ListMakes, body_too=True)
    return _listed(core().catalog.list_makes(asked.year))


@catalog.get("/models", safe=True, accepts=ListModels, query=ListModels, returns=DataList[str])
def models() -> Response:
    """List the models of a make."""
    asked = read_query(ListModels, body_too=True)
    return _listed(core().catalog.list_models(asked.make, asked.year))


@catalog.get("/trims", safe=True, accepts=ListTrims, query=ListTrims, returns=DataList[str])
def trims() -> Response:
    """List the trims of a model."""
    asked = read_query(ListTrims, body_too=True)
    return _listed(core().catalog.list_trims(asked.make, asked.model, asked.year))


@catalog.get("/engines", safe=True, accepts=ListEngines, query=ListEngines, returns=DataList[EngineListed])
def engines() -> Response:
    """List the engines of a model."""
    asked = read_query(ListEngines, body_too=True)
    return _listed(core().catalog.list_engines(asked.make, asked.model, asked.year, asked.trim))


def _listed(found: Sequence[object]) -> Response:
    return reply({"success": True, "count": len(found), "data": list(found)})
