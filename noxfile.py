"""What is checked, and how: ``nox`` runs what every change must pass, ``nox -l`` lists the rest."""

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["tests", "types", "lint", "imports", "docs"]
nox.options.error_on_missing_interpreters = False

GROUPS = nox.project.dependency_groups
PROJECT = nox.project.load_toml("pyproject.toml")
EVERYTHING = {"REPAIRCORE_TEST_EVERYTHING": "1"}
"""Leaves out no variant of a long test: ``tests/sampling.py``."""
SERVERS = {
    "postgres": "REPAIRCORE_TEST_POSTGRES_URL",
    "redis": "REPAIRCORE_TEST_REDIS_URL",
}


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run the tests against the installed package."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def long(session: nox.Session) -> None:
    """Run the tests that ``tests`` leaves out because they take long."""
    session.install(".[test]")
    session.run("pytest", "-m", "long and not browser", *session.posargs, env=EVERYTHING)


@nox.session(python="3.11")
def types(session: nox.Session) -> None:
    """Check types, from nothing, at the oldest Python."""
    session.install(".[postgres,redis,test]", *GROUPS(PROJECT, "types"))
    session.run("mypy", "--cache-dir", os.devnull)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    session.install(*GROUPS(PROJECT, "lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def imports(session: nox.Session) -> None:
    """Check who may import whom."""
    session.install(".", *GROUPS(PROJECT, "imports"))
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": "src"})


@nox.session
def docs(session: nox.Session) -> None:
    """Run every example of the README and the documentation, and follow every link."""
    session.install(".[test]")
    session.run("pytest", "-m", "", "tests/docs", *session.posargs, env=EVERYTHING)


@nox.session
def site(session: nox.Session) -> None:
    """Build the documentation as a site in build/site; a warning is a failure."""
    session.install(*GROUPS(PROJECT, "site"))
    session.run("python", "docs/site/build.py", "build/site")


def _build(session: nox.Session) -> str:
    """Build both files, and check what an index would show of them; return their folder."""
    session.install(".", *GROUPS(PROJECT, "package"))
    folder = str(Path(session.create_tmp()).resolve() / "dist")
    shutil.rmtree(folder, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", folder)
    session.run("twine", "check", "--strict", *map(str, Path(folder).iterdir()))
    return folder


@nox.session
def package(session: nox.Session) -> None:
    """Build the files of a release and check that they are complete."""
    session.run("python", "-m", "tests.package", _build(session))


@nox.session
def release(session: nox.Session) -> None:
    """Walk through the list of a release: print what is missing, or the commands that publish."""
    folder = _build(session)
    session.run("python", "-m", "tests.package", folder, "--release")
    version = session.run("repaircore", "--version", silent=True).split()[-1]
    session.log(f"git tag -a v{version} -m v{version} && git push origin v{version}")
    session.log(f"twine upload {folder}/*")


@nox.session
def client(session: nox.Session) -> None:
    """Have a client generated from the OpenAPI document, and call the service with it."""
    session.install(".[test]")
    generator = Path(session.create_tmp()).resolve() / "generator"
    session.run("python", "-m", "venv", "--clear", str(generator))
    session.run(str(generator / "bin" / "pip"), "install", "-q", *GROUPS(PROJECT, "client"), external=True)
    session.run(
        *("pytest", "tests/docs", "-m", "client", *session.posargs),
        env={"REPAIRCORE_TEST_CLIENT_ENV": str(generator), "REPAIRCORE_TEST_REQUIRE": "client"},
    )


@nox.session
def postgres(session: nox.Session) -> None:
    """Run the tests that need servers, and fail when one of them would be skipped."""
    session.install(".[test]")
    named = [service for service, variable in SERVERS.items() if os.environ.get(variable)]
    if "postgres" not in named:
        session.error(
            f"{SERVERS['postgres']} must name a PostgreSQL server, such as postgresql+psycopg://user@host/name"
        )
    session.run(
        "pytest",
        "-m",
        " or ".join(named),
        *session.posargs,
        env={"REPAIRCORE_TEST_REQUIRE": ",".join(named), **EVERYTHING},
    )


@nox.session
def browser(session: nox.Session) -> None:
    """Use the console in a real Chromium, which must be installed, and fail when it would be skipped."""
    session.install(".[browser,test]")
    session.run(
        "pytest",
        "-m",
        "browser",
        "tests/console",
        *session.posargs,
        env={"REPAIRCORE_TEST_REQUIRE": "browser", **EVERYTHING},
    )


@nox.session
def crashes(session: nox.Session) -> None:
    """Kill everything many times on each database: while admins write, rides, payments and tasks at each moment, and under mixed load."""
    session.install(".[test]")
    session.run(
        "pytest",
        *("-m", "long"),
        *map(str, sorted(Path("tests/e2e").glob("test_*crashes.py"))),
        *("tests/e2e/test_stopping.py", "tests/e2e/test_killed_tasks.py"),
        *session.posargs,
        env={"REPAIRCORE_TEST_CRASHES": "50", "REPAIRCORE_TEST_STOPS": "50", **EVERYTHING},
    )


@nox.session
def bench(session: nox.Session) -> None:
    """Measure, and print one table of ratios."""
    session.install(".[test]", "vininfo>=1.8")  # what P11 compares with
    session.run("python", "-m", "bench", *session.posargs)


@nox.session
def quality(session: nox.Session) -> None:
    """Measure how good estimates are, beside other methods, on invoices whose truth is known."""
    session.install(".[plots,test]", *GROUPS(PROJECT, "quality"))
    session.run("python", "-m", "bench", "quality", *session.posargs)


@nox.session
def schemathesis(session: nox.Session) -> None:
    """Try the whole OpenAPI document against the service, with many more examples than the tests do."""
    session.install(".[test]")
    session.run(
        "pytest",
        *("-m", "long"),
        "tests/http/test_schemathesis.py",
        *session.posargs,
        env={"REPAIRCORE_TEST_EXAMPLES": os.environ.get("REPAIRCORE_TEST_EXAMPLES", "50"), **EVERYTHING},
    )


@nox.session
def draws(session: nox.Session) -> None:
    """Try what holds for all values with values that were never tried before."""
    session.install(".[test]")
    paths = session.posargs or ["tests/unit", "tests/adapters", "tests/contracts"]
    session.run(
        "pytest", "-m", "", "-n", "auto", *paths, env={"REPAIRCORE_TEST_DRAWS": "random", **EVERYTHING}
    )


@nox.session
def stress(session: nox.Session) -> None:
    """Kill imports at fifty moments on each database, and see that they come to the same."""
    session.install(".[test]")
    session.run("python", "-m", "tests.stress.on_both", *session.posargs)


@nox.session
def soak(session: nox.Session) -> None:
    """Kill everything again and again under mixed load for an hour on each database, and judge what was answered."""
    session.install(".[test]")
    session.run("python", "-m", "tests.soak", *session.posargs)


@nox.session(python="3.12")
def mutation(session: nox.Session) -> None:
    """Draw 300 wrong changes of the code, and see whether the tests that enter the changed function notice each."""
    session.install(".[test]")
    session.run("python", "-m", "tests.mutation", *session.posargs)
