"""The yardstick of the server: what Flask costs when there is nothing to do."""

from flask import Flask, Response

_BODY = b'{"constant":"' + b"x" * 1_485 + b'"}'


def make_app() -> Flask:
    """Make an application with one route, which answers 1.5 KB of constant JSON."""
    app = Flask("bare", static_folder=None)

    @app.get("/")
    def constant() -> Response:
        return Response(_BODY, mimetype="application/json")

    return app
