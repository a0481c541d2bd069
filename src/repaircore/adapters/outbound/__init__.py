"""The HTTP client for external services: ``client.Outbound``, and ``notice.notify`` for URLs that others chose.

    client.py     a service: get, post, and their guarantees
    notice.py     notify a URL that a partner or user chose
    exchange.py   one request and its response, read defensively
    network.py    connections with a deadline
    deadline.py   the total time of a call
    retry.py      one retry within the deadline
    circuit.py    the circuit breaker
    threads.py    a bounded number of daemon threads
    failures.py   reasons for failures, fit for end users

Importing the package itself loads no network library.
"""
