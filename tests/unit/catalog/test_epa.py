import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.catalog.epa import BadRow, EpaLine, EpaRow, read_lines, read_row
from repaircore.catalog.model import Engine, Fuel
from repaircore.kernel.errors import Invalid
from repaircore.kernel.traits import Body, Drive

HEAD = "id,make,model,year,class,trans,drive,cyl,displ,fuel,hwy,cty"
ROW = "1,Acura,2.2CL/3.0CL,1997,Subcompact Cars,Automatic 4-spd,Front-Wheel Drive,4.0,2.2,Regular,26,20"
PUBLISHED = "fuelType1,cylinders,displ,VClass,drive,year,make,model,atvType,baseModel"


def read(*lines: str) -> list[EpaRow]:
    return [read_row(line) for line in read_lines(f"{line}\n" for line in lines)]


def read_cells(**cells: str) -> EpaRow:
    row = {
        "make": "Ford",
        "model": "Focus",
        "year": "2012",
        "cyl": "4",
        "displ": "2.0",
        "fuel": "Regular",
        "drive": "",
        "class": "",
        "atvType": "",
        **cells,
    }
    return read(",".join(row), ",".join(row.values()))[0]


def test_read_row_accepts_the_short_format() -> None:
    assert read(HEAD, ROW) == [
        EpaRow(
            make="Acura",
            model="2.2CL/3.0CL",
            year=1997,
            engine=Engine(tenths=22, cylinders=4, fuel=Fuel.GASOLINE),
            drive=Drive.FWD,
            body=Body.CAR,
        )
    ]


def test_read_row_accepts_the_published_format() -> None:
    row = "Premium Gasoline,6,3.5,Standard Sport Utility Vehicle 4WD,All-Wheel Drive,2020,Acura,MDX Hybrid AWD,Hybrid,MDX"

    assert read(PUBLISHED, "", row) == [
        EpaRow(
            make="Acura",
            model="MDX Hybrid AWD",
            year=2020,
            engine=Engine(tenths=35, cylinders=6, fuel=Fuel.HYBRID),
            drive=Drive.AWD,
            body=Body.SUV,
        )
    ]


@pytest.mark.parametrize(
    ("cells", "fuel"),
    [
        ({"fuel": "Regular"}, Fuel.GASOLINE),
        ({"fuel": "Regular Gasoline"}, Fuel.GASOLINE),
        ({"fuel": "Gasoline or E85"}, Fuel.GASOLINE),
        ({"fuel": "Gasoline or natural gas"}, Fuel.GASOLINE),
        ({"fuel": "Diesel"}, Fuel.DIESEL),
        ({"fuel": "CNG"}, Fuel.CNG),
        ({"fuel": "Natural Gas"}, Fuel.CNG),
        ({"fuel": "Electricity"}, Fuel.ELECTRIC),
        ({"fuel": "Hydrogen"}, Fuel.HYDROGEN),
        ({"fuel": "Regular Gas and Electricity"}, Fuel.PLUG_IN_HYBRID),
        ({"fuel": "Premium Gas or Electricity"}, Fuel.PLUG_IN_HYBRID),
        ({"fuel": "Premium and Electricity"}, Fuel.PLUG_IN_HYBRID),
        ({"fuel": "Regular Gasoline", "atvType": "Plug-in Hybrid"}, Fuel.PLUG_IN_HYBRID),
        ({"fuel": "Regular Gasoline", "atvType": "FFV"}, Fuel.GASOLINE),
        ({"fuel": "Regular", "model": "Fusion Hybrid FWD"}, Fuel.HYBRID),
    ],
)
def test_read_row_recognizes_fuels(cells: dict[str, str], fuel: Fuel) -> None:
    assert read_cells(**cells).engine.fuel is fuel


@pytest.mark.parametrize(
    ("vehicle_class", "body"),
    [
        ("Compact Cars", Body.CAR),
        ("Two Seaters", Body.CAR),
        ("Small Station Wagons", Body.CAR),
        ("Standard Pickup Trucks 2WD", Body.PICKUP),
        ("Sport Utility Vehicle - 4WD", Body.SUV),
        ("Minivan - 2WD", Body.VAN),
        ("Vans Passenger", Body.VAN),
        ("Special Purpose Vehicles", None),
        ("", None),
    ],
)
def test_read_row_derives_the_body_from_the_class(vehicle_class: str, body: Body | None) -> None:
    assert read_cells(**{"class": vehicle_class}).body is body


def test_read_row_ignores_an_ambiguous_drive() -> None:
    assert read_cells(drive="4-Wheel or All-Wheel Drive").drive is None


def test_electric_car_has_neither_displacement_nor_cylinders() -> None:
    for displ in ("", "0.0"):
        electric = read_cells(fuel="Electricity", cyl="", displ=displ)
        assert (electric.engine.tenths, electric.engine.cylinders) == (None, None)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"make": ""}, "make"),
        ({"model": " "}, "model"),
        ({"make": "x" * 101}, "make"),
        ({"model": "a\x00b"}, "model"),
        ({"year": "1899"}, "year"),
        ({"year": "2101"}, "year"),
        ({"year": "2012.5"}, "year"),
        ({"year": "-2012"}, "year"),
        ({"year": "٢٠١٢"}, "year"),
        ({"year": "nan"}, "year"),
        ({"year": ""}, "year"),
        ({"displ": "2,0"}, "cells"),
        ({"displ": "2.0L"}, "displacement"),
        ({"displ": "20.1"}, "displacement"),
        ({"displ": "1e1"}, "displacement"),
        ({"cyl": "17"}, "cylinders"),
        ({"cyl": "four"}, "cylinders"),
        ({"fuel": "Coal"}, "fuel"),
        ({"fuel": ""}, "fuel"),
    ],
)
def test_read_row_rejects_impossible_values(cells: dict[str, str], reason: str) -> None:
    with pytest.raises(BadRow, match=reason):
        read_cells(**cells)


def test_read_row_reports_every_reason() -> None:
    with pytest.raises(BadRow) as error:
        read_cells(make="", model="", year="x", displ="x", cyl="x", fuel="x")

    assert len(error.value.reasons) == 6


def test_read_row_rejects_a_wrong_number_of_cells() -> None:
    for row in ("1,Acura", f"{ROW},more"):
        with pytest.raises(BadRow, match="cells"):
            read(HEAD, row)


def test_read_lines_names_the_missing_columns() -> None:
    with pytest.raises(Invalid) as error:
        read("make,model,color")

    assert len(error.value.fields["file"]) == 4
    assert "no column fueltype1 or fuel" in " ".join(error.value.fields["file"])


@pytest.mark.parametrize("lines", [[], [""]])
def test_read_lines_rejects_an_empty_file(lines: list[str]) -> None:
    with pytest.raises(Invalid):
        read(*lines)


def test_read_lines_reports_the_line_of_an_open_quote() -> None:
    with pytest.raises(Invalid, match="line 3"):
        read(HEAD, ROW, '1,"Acura')


def test_lines_are_numbered_as_in_an_editor() -> None:
    assert [line.number for line in read_lines([HEAD + "\n", ROW + "\n", "\n", ROW + "\n"])] == [2, 4]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=12))
def test_read_row_accepts_or_rejects_any_cells(cells: list[str]) -> None:
    row = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    for line in read_lines([HEAD + "\n", row + "\n"]):
        assert _row_or_reasons(line)


def _row_or_reasons(line: EpaLine) -> object:
    try:
        return read_row(line)
    except BadRow as error:
        return error.reasons
