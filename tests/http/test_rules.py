import msgspec
from tests.http.example import Ask


def test_a_shape_gives_its_own_rules_to_the_api_description() -> None:
    _, components = msgspec.json.schema_components([Ask])
    told = components["Ask"]
    assert told["required"] == ["vin", "zip_code"]
    fields = told["properties"]
    assert fields["vin"] == {"type": "string", "minLength": 11, "maxLength": 17}
    assert fields["zip_code"]["pattern"] == r"^(?:\d{5}(-\d{4})?)$"
    assert fields["mileage"]["anyOf"] == [
        {"type": "integer", "minimum": 0, "maximum": 2_000_000},
        {"type": "null"},
    ]
    assert fields["color"]["enum"] == ["red", "blue"]
    assert fields["answers"]["maxItems"] == 500
    assert components["Mood"]["enum"] == ["good", "wrong"]
