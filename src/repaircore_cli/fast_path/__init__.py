"""Everything in the command line that exists only for speed.

| module | instead of | saves |
| --- | --- | --- |
| ``lazy`` | importing every command, and Typer's conversion of values | `repaircore --help` takes 6 instead of 15 times as long as `python -c pass` |

Imports inside the functions of commands are here for the same reason: a command imports only what it needs
(docs/decisions/quick-start.md).
"""
