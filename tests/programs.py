"""Programs of their own for tests: what must be seen from outside, or in a process without threads."""

import os
import subprocess
import sys


def printed(program: str, *arguments: str, **environment: str) -> str:
    """Run a program with this interpreter and its paths, and give what it printed."""
    done = subprocess.run(  # noqa: S603 - this interpreter, a fixed program
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )
    return done.stdout
