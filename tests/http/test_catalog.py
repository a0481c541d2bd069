"""Makes, models, trims and engines, over both databases."""

from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from tests.http.people import SPECS, Person, bearer
from tests.http.shape import shaped
from tests.writes import unwritten

from repaircore.core import Core
from repaircore.kernel.imports import Upload

HEAD = "make,model,year,class,trans,drive,cyl,displ,fuel"
ROWS = (
    HEAD,
    "Wiesmann,Roadster MF4,2010,Two Seaters,Manual,Rear-Wheel Drive,8,4.8,Premium",
    "Honda,Accord,2015,Midsize Cars,Auto,Front-Wheel Drive,4,2.4,Regular",
    "Honda,Accord Zeta,2015,Midsize Cars,Auto,Front-Wheel Drive,4,1.1,Diesel",
)
ENGINE = {"displacement": str, "hp": str, "cylinders": str, "fuel": str}
ACCORD = {"make": "Honda", "model": "Accord", "year": 2015}


@pytest.fixture
def token(ada: Person) -> str:
    return ada.keys("live").public_key


@pytest.fixture
def imported(core: Core) -> None:
    content = BytesIO("".join(f"{row}\n" for row in ROWS).encode())
    core.catalog.import_file(Upload(name="vehicles.csv", content=content))


def get(api: FlaskClient, token: str, kind: str, **query: Any) -> Any:
    answer = api.get(f"/api/v1/predict/{kind}?{urlencode(query)}", headers=bearer(token))
    assert answer.status_code == 200, answer.text
    body = answer.get_json()
    assert shaped({"success": True, "count": int, "data": [ENGINE if kind == "engines" else str]}, body)
    assert body["count"] == len(body["data"])
    return body["data"]


def test_makes_are_alphabetical_and_unique(api: FlaskClient, token: str) -> None:
    makes = get(api, token, "makes")

    assert makes == sorted(set(makes), key=str.casefold)
    assert {"Honda", "Mercedes-Benz", "Saab", "Rivian"} <= set(makes)


def test_makes_of_a_year_are_those_sold_that_year(api: FlaskClient, token: str) -> None:
    assert {"Saab", "Pontiac"} <= set(get(api, token, "makes", year=2005))
    assert not {"Saab", "Pontiac", "Rivian"} & set(get(api, token, "makes", year=2015))
    assert get(api, token, "makes", year=1983) == get(api, token, "makes", year=2100) == []


def test_models_depend_on_the_make_and_year(api: FlaskClient, token: str) -> None:
    models = get(api, token, "models", make="honda", year=2015)

    assert models == sorted(set(models), key=str.casefold)
    assert {"Accord", "Civic", "CR-V"} <= set(models)
    assert not {"Prelude", "S2000"} & set(models)
    assert {"Accord", "Prelude", "S2000"} <= set(get(api, token, "models", make="Honda"))


def test_trims_are_listed_separately(api: FlaskClient, token: str) -> None:
    assert {"DX", "EX", "LX"} <= set(get(api, token, "trims", make="Honda", model="Accord", year=2003))


def test_engine_figures_are_text(api: FlaskClient, token: str) -> None:
    engines = get(api, token, "engines", **ACCORD)

    assert {"displacement": "2.4L", "hp": "185", "cylinders": "4", "fuel": "Gasoline"} in engines
    assert {engine["cylinders"] for engine in engines} == {"4", "6"}


def test_trim_narrows_the_engines(api: FlaskClient, token: str) -> None:
    engines = get(api, token, "engines", **ACCORD, trim="EX-L V6")

    assert [engine["cylinders"] for engine in engines] == ["6"]


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("models", {"make": "Nobody"}),
        ("models", {"make": "Honda", "year": 1900}),
        ("trims", {"make": "Honda", "model": "Foo", "year": 2015}),
        ("engines", {"make": "Honda", "model": "Foo", "year": 2015}),
        ("engines", {"make": "Nobody", "model": "Accord", "year": 2015}),
        ("engines", {"make": "%", "model": "' or 1=1 --", "year": 2015}),
        ("trims", {"make": "..", "model": "/", "year": 2015}),
    ],
)
def test_unknown_names_list_nothing(api: FlaskClient, token: str, kind: str, query: dict[str, Any]) -> None:
    assert get(api, token, kind, **query) == []


def test_body_is_equivalent_to_a_query(api: FlaskClient, token: str) -> None:
    result = api.get("/api/v1/predict/engines", json=ACCORD, headers=bearer(token))

    assert result.get_json()["data"] == get(api, token, "engines", **ACCORD)


def test_query_takes_precedence_over_the_body(api: FlaskClient, token: str) -> None:
    result = api.get(
        "/api/v1/predict/models?year=2015", json={"make": "Honda", "year": 1999}, headers=bearer(token)
    )

    assert result.get_json()["data"] == get(api, token, "models", make="Honda", year=2015)


@pytest.mark.parametrize(
    ("kind", "query", "bad"),
    [
        ("makes", {"year": "abc"}, ["year"]),
        ("makes", {"year": 1899}, ["year"]),
        ("makes", {"year": 2101}, ["year"]),
        ("makes", {"year": "2015.0"}, ["year"]),
        ("models", {}, ["make"]),
        ("models", {"make": ""}, ["make"]),
        ("models", {"make": "x" * 101, "year": 0}, ["make", "year"]),
        ("trims", {}, ["make", "model", "year"]),
        ("trims", {"make": "x" * 101, "model": "x" * 101, "year": 2101}, ["make", "model", "year"]),
        ("engines", {}, ["make", "model", "year"]),
        ("engines", {**ACCORD, "trim": "x" * 101, "year": "next"}, ["year", "trim"]),
    ],
)
def test_every_bad_parameter_is_reported(
    api: FlaskClient, token: str, kind: str, query: dict[str, Any], bad: list[str]
) -> None:
    answer = api.get(f"/api/v1/predict/{kind}?{urlencode(query)}", headers=bearer(token))

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {name: [str] for name in bad}}, answer.json)


def test_body_must_be_valid_too(api: FlaskClient, token: str) -> None:
    def status_of(body: bytes) -> int:
        result = api.get(
            "/api/v1/predict/models", data=body, content_type="application/json", headers=bearer(token)
        )
        return result.status_code

    assert [
        status_of(b"{"),
        status_of(b"[]"),
        status_of(b'{"make": 5}'),
        status_of(b'{"make": "Honda"}'),
    ] == [400, 400, 422, 200]


@pytest.mark.parametrize("kind", ["makes", "models", "trims", "engines"])
def test_catalog_requires_a_key(api: FlaskClient, kind: str) -> None:
    answer = api.get(f"/api/v1/predict/{kind}?make=Honda")

    assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})


def test_catalog_reads_write_nothing(api: FlaskClient, token: str, database_url: str) -> None:
    get(api, token, "makes")
    with unwritten(database_url):
        get(api, token, "engines", **ACCORD)


@pytest.mark.usefixtures("imported")
def test_imported_models_are_listed_with_the_rest(api: FlaskClient, token: str) -> None:
    assert "Wiesmann" in get(api, token, "makes", year=2010)
    assert "Wiesmann" not in get(api, token, "makes", year=2015)
    assert get(api, token, "models", make="wiesmann") == ["Roadster MF4"]
    assert get(api, token, "engines", make="Wiesmann", model="roadster mf4", year=2010) == [
        {"displacement": "4.8L", "hp": "", "cylinders": "8", "fuel": "Gasoline"}
    ]


@pytest.mark.usefixtures("imported")
def test_imported_engines_are_listed_with_those_with_horsepower(api: FlaskClient, token: str) -> None:
    engines = get(api, token, "engines", **ACCORD)

    assert {"displacement": "1.1L", "hp": "", "cylinders": "4", "fuel": "Diesel"} in engines
    assert {"displacement": "2.4L", "hp": "", "cylinders": "4", "fuel": "Gasoline"} not in engines
    assert "Zeta" in get(api, token, "trims", **ACCORD)


@pytest.mark.usefixtures("imported")
def test_imported_model_can_be_estimated(api: FlaskClient, token: str) -> None:
    specs = {**SPECS, "make": "Wiesmann", "model": "Roadster MF4", "year": 2010}
    answer = api.post("/api/v1/predict/by-specs", json=specs, headers=bearer(token))

    assert answer.status_code == 200, answer.text
    assert answer.get_json()["vehicle_match"]["vehicle_used"]["display_name"] == "2010 Wiesmann Roadster MF4"


def test_model_newer_than_the_patterns_can_be_estimated(api: FlaskClient, token: str) -> None:
    specs = {**SPECS, "make": "Kia", "model": "K4", "year": 2025}
    answer = api.post("/api/v1/predict/by-specs", json=specs, headers=bearer(token))

    assert answer.status_code == 200, answer.text
