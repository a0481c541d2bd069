"""Everything in the HTTP package that exists only for speed or memory, or for fairness between clients.

| module | instead of | saves |
| --- | --- | --- |
| ``lane`` | a Flask view | 40 of the 57 µs that a cached prediction, or a ride that a partner polls, takes beyond a bare Flask route |
| ``lazy_builders`` | ``werkzeug.routing.Rule`` | 0.1 s of CPU at each start |
| ``prediction_bytes`` | ``encode(prediction_view(prediction))`` | 25 µs of a cached prediction |
| ``request_body`` | ``request.get_data()`` | 6 µs of each request with a body |
| ``responses`` | ``flask.Response`` | 4 µs of each JSON response |
| ``url_adapter`` | ``Flask.create_url_adapter`` | 3 µs of each request |
| ``one_send`` | gunicorn's response, which sends headers and body separately | a system call for each short response, 20 µs |
| ``heap_holes`` | a plain fork | 8 MB in a server with two workers and jobs |
| ``worker``, ``connection``, ``arrival``, ``refusals`` | gunicorn's ``gthread`` worker | clients that stall hold no thread; a cached prediction on SQLite needs none (docs/decisions/inline-answers.md), a third of its CPU |

A cached prediction over HTTP costs 1.06 times the CPU of a bare Flask route on SQLite (goal 1.25) and 1.69 times on
PostgreSQL (goal 1.8); at first, it was 1.92 and 2.81 times. docs/decisions/hot-path.md has the steps, and
docs/reference/performance.md (P1, P2, P12) the figures.

Tests pass without the lane (REPAIRCORE_TEST_FAST_LANE=off pytest tests/http), and the server's tests run with another
worker (REPAIRCORE_TEST_WORKER_CLASS=gthread pytest -m '' tests/e2e), where the tests of ``worker`` itself are skipped.
"""
