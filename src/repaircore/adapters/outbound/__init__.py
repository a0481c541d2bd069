"""The one way to speak HTTP with outside parties: ``client.Outbound``, and ``notice.notify`` for strangers.

    client.py     an outside party: get, post, and what they promise
    notice.py     telling a stranger something, at an address of the stranger's choice
    exchange.py   one request and its answer, read defensively
    network.py    connections that keep a deadline
    deadline.py   how long one call may take in all
    retry.py      the second try
    circuit.py    when to leave a failing party alone
    threads.py    a bounded number of daemon threads
    failures.py   what went wrong, in words that an end user may read

Whoever imports this package alone pays for no network library.
"""
