"""The vehicle catalog, for forms that choose a vehicle step by step."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.catalog.views import CatalogEngineView
from repaircore.kernel.rules import Length, YearRange
from repaircore_http.core import core
from repaircore_http.envelopes import DataList
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes

catalog = Routes("catalog", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="catalog")

_Name = Annotated[str, Length(1, 100)]
_Year = Annotated[int, YearRange(1900, 2100)]


@frozen(kw_only=True)
class ListMakes:
    """Selects the makes of a model year, or of all years."""

    year: _Year | None = None


@frozen(kw_only=True)
class ListModels:
    """Selects the models of a make, in a model year or in all years."""

    make: _Name
    year: _Year | None = None


@frozen(kw_only=True)
class ListTrims:
    """Selects the trims of a model in a model year."""

    make: _Name
    model: _Name
    year: _Year


@frozen(kw_only=True)
class ListEngines:
    """Selects the engines of a model in a model year, or of one of its trims."""

    make: _Name
    model: _Name
    year: _Year
    trim: Annotated[str | None, Length(0, 100)] = None


@catalog.get("/makes", safe=True, accepts=ListMakes, query=ListMakes, returns=DataList[str])
def makes() -> Response:
    """List the makes of a model year, or of all years."""
    query = read_query(ListMakes, body_too=True)
    return reply(DataList.of([*core().catalog.list_makes(query.year)]))


@catalog.get("/models", safe=True, accepts=ListModels, query=ListModels, returns=DataList[str])
def models() -> Response:
    """List the models of a make."""
    query = read_query(ListModels, body_too=True)
    return reply(DataList.of([*core().catalog.list_models(query.make, query.year)]))


@catalog.get("/trims", safe=True, accepts=ListTrims, query=ListTrims, returns=DataList[str])
def trims() -> Response:
    """List the trims of a model."""
    query = read_query(ListTrims, body_too=True)
    return reply(DataList.of([*core().catalog.list_trims(query.make, query.model, query.year)]))


@catalog.get(
    "/engines", safe=True, accepts=ListEngines, query=ListEngines, returns=DataList[CatalogEngineView]
)
def engines() -> Response:
    """List the engines of a model."""
    query = read_query(ListEngines, body_too=True)
    found = core().catalog.list_engines(query.make, query.model, query.year, query.trim)
    return reply(DataList.of([CatalogEngineView.of(engine) for engine in found]))
