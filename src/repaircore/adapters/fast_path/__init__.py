"""The parts of storage and rate limiting that exist only for speed, or for fairness between processes.

| module | instead of | saves |
| --- | --- | --- |
| ``driver``, ``postgres_driver`` | SQLAlchemy Core | a read by key costs a tenth, and a cached answer at the command line imports no SQLAlchemy |
| ``libpq`` | a psycopg cursor | 6 to 10 of the 33 µs that a read by key takes |
| ``write_queue`` | SQLite's ``busy_timeout`` | with four writers, the longest wait is 0.1 s instead of 3 s |
| ``shared_files``, ``ring`` | the table ``rate_windows`` | a cached prediction over HTTP costs 1.7 bare Flask routes, not 4.5 |

Each has a plain alternative that gives the same answers. docs/decisions/hot-reads.md, hot-path.md, write-queue.md and
rate-windows.md have the measurements, and docs/reference/performance.md has the current figures.
"""
