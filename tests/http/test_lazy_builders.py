from werkzeug.routing import Map

from repaircore_http.fast_path.lazy_builders import LazyRule


def test_url_is_built_like_by_a_plain_rule() -> None:
    urls = Map([LazyRule("/rides/<int:ride>/<step>", endpoint="step")]).bind("example.org", "/api")
    assert urls.build("step", {"ride": 7, "step": "a b"}) == "/api/rides/7/a%20b"
    assert urls.build("step", {"ride": 7, "step": "x", "page": 2}) == "/api/rides/7/x?page=2"
    assert urls.build("step", {"ride": 7, "step": "x", "page": 2}, append_unknown=False) == "/api/rides/7/x"


def test_url_is_matched_without_building() -> None:
    urls = Map([LazyRule("/rides/<int:ride>", endpoint="ride")]).bind("example.org")
    assert urls.match("/rides/7") == ("ride", {"ride": 7})
