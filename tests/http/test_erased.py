"""Whoever was erased is a stranger with the next request."""

from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer

from repaircore.bootstrap import Core

UNKNOWN = {"message": "Unauthenticated."}


def test_every_credential_of_an_erased_person_is_refused_at_once(
    api: FlaskClient, core: Core, ada: Person, eve: Person
) -> None:
    keys = ada.keys()
    tokens = (ada.token, keys.public_key, keys.secret_key)
    for token in tokens:
        assert api.post("/api/v1/predict", json=ASK, headers=bearer(token)).status_code == 200
    core.persons.erase(ada.email)
    for token in tokens:
        refused = api.post("/api/v1/predict", json=ASK, headers=bearer(token))
        assert (refused.status_code, refused.get_json()) == (401, UNKNOWN)
    account = {"email": ada.email, "password": "correct horse"}
    assert api.post("/api/v1/auth/login", json=account).status_code == 401
    assert eve.post("/api/v1/predict", ASK).status_code == 200


def test_a_prediction_of_an_erased_person_is_still_in_the_history_of_all(
    api: FlaskClient, core: Core, ada: Person, eve: Person
) -> None:
    session = ada.post("/api/v1/predict", ASK).get_json()["session_id"]
    core.persons.erase(ada.email)
    assert eve.get("/api/v1/predict/history").get_json()["data"] == []
    (entry,) = core.past_predictions.page(number=1, per_page=15)
    assert str(entry.session_id) == session
    assert ASK["vin"] not in repr(entry)
    assert api.get("/healthz").status_code == 200
