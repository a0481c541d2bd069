"""The operation that shows that a secret key works."""

from flask.testing import FlaskClient
from tests.http.people import Person, bearer
from tests.http.shape import shaped

PATH = "/api/v1/secure-data"


def test_secret_key_gets_its_name(api: FlaskClient, ada: Person) -> None:
    keys = ada.keys("test", name="My shop ✓")
    answer = api.post(PATH, headers=bearer(keys.secret_key))
    assert answer.status_code == 200
    assert shaped({"message": str, "api_key_used": "My shop ✓"}, answer.json)


def test_publishable_key_is_not_enough(api: FlaskClient, ada: Person) -> None:
    answer = api.post(PATH, headers=bearer(ada.keys().public_key))
    assert answer.status_code == 403
    assert answer.json == {"message": "This action is unauthorized."}


def test_session_has_no_key_name(ada: Person) -> None:
    assert ada.post(PATH).get_json()["api_key_used"] is None


def test_only_post_is_allowed(api: FlaskClient, ada: Person) -> None:
    answer = api.get(PATH, headers=bearer(ada.keys().secret_key))
    assert answer.status_code == 405
    assert shaped({"message": str}, answer.json)
    assert set(answer.headers["Allow"].split(", ")) == {"POST", "OPTIONS"}
