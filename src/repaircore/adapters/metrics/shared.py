"""The folder in which the processes of a machine share their metrics, set before the Prometheus library is imported.

The metrics of a server are reset when it starts. A standalone process, which no server started, has a subfolder of
its own, which it locks while it runs: process IDs mean nothing across containers, but locks do. Files of standalone
processes that have ended are summed when the next one starts, so that counters never decrease and files do not
accumulate.
"""

import fcntl
import os
import shutil
import struct
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library's own variable, which it reads when it is imported."""

_STANDALONE: Final = "standalone-"
_ENDED: Final = "standalone-ended"
_ALIVE: Final = "alive"
_LOCK: Final = "lock"
_FILES: Final = "*.db"
_ANY: Final = "0"
"""Replaces the process ID in the names of files that contain sums."""

_held: list[int] = []
"""The descriptor of this process's lock, which the system releases when the process ends."""


def share(folder: Path, *, reset: bool, environ: MutableMapping[str, str] = os.environ) -> None:
    """Store the metrics of this process and its children in a folder, unless the environment names another.

    ``reset`` deletes the files of the server's earlier processes and of standalone processes that have ended.
    """
    folder = Path(environ.setdefault(SHARED, str(folder)))
    with suppress(OSError):  # then the meter fails too, and records nothing
        folder.mkdir(parents=True, exist_ok=True)
    if reset:
        with _locked(folder, fcntl.LOCK_EX):
            for file in folder.glob(_FILES):
                with suppress(OSError):
                    file.unlink(missing_ok=True)
            for part in (*_ended(folder), folder / _ENDED):
                shutil.rmtree(part, ignore_errors=True)


def share_standalone(folder: Path, *, environ: MutableMapping[str, str] = os.environ) -> None:
    """Store the metrics of this standalone process in its own subfolder, unless the environment names another.

    The files of standalone processes that have ended are summed.
    """
    if SHARED in environ:
        return
    part = folder / f"{_STANDALONE}{uuid4().hex}"
    environ[SHARED] = str(part)
    with suppress(OSError), _locked(folder, fcntl.LOCK_EX):
        part.mkdir(parents=True, exist_ok=True)
        _held.append(_open(part / _ALIVE))
        fcntl.flock(_held[-1], fcntl.LOCK_EX)
        ended = [*_ended(folder)]
        _sum_files([file for subfolder in ended for file in subfolder.glob(_FILES)], folder / _ENDED)
        for subfolder in ended:
            shutil.rmtree(subfolder, ignore_errors=True)


def files(folder: Path) -> list[str]:
    """List the files of a server's processes and of standalone processes, running or ended."""
    return [str(file) for pattern in (_FILES, f"{_STANDALONE}*/{_FILES}") for file in folder.glob(pattern)]


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Keep other processes from summing files while they are read."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


def _ended(folder: Path) -> Iterator[Path]:
    """Yield the subfolders of processes that have ended."""
    for part in folder.glob(f"{_STANDALONE}*/"):
        if part.name != _ENDED and not _is_held(part / _ALIVE):
            yield part


def _is_held(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # an earlier version created no lock
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _sum_files(ended: Iterable[Path], into: Path) -> None:
    """Sum files into one file per kind of metric."""
    kinds: dict[str, list[Path]] = {}
    for file in ended:
        kinds.setdefault(file.name.partition("_")[0], []).append(file)
    for kind, found in kinds.items():
        from prometheus_client.mmap_dict import MmapedDict  # noqa: PLC0415 - the folder has to be set before

        into.mkdir(exist_ok=True)
        whole = into / f"{kind}_{_ANY}.db"
        sums: dict[str, float] = {}
        for file in (*found, *([whole] if whole.exists() else ())):
            with suppress(
                RuntimeError, ValueError, struct.error
            ):  # a process may be killed while it creates a file
                for key, value, _, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
                    sums[key] = sums.get(key, 0.0) + value
        fresh = whole.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        written = MmapedDict(str(fresh))  # type: ignore[no-untyped-call]
        for key, value in sums.items():
            written.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
        written.close()  # type: ignore[no-untyped-call]
        fresh.replace(whole)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Lock the folder, if possible; if it cannot be locked, no metrics can be stored either."""
    descriptor = None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _open(folder / _LOCK)
        fcntl.flock(descriptor, how)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
