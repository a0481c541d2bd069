"""Where the processes of a machine keep their figures together; known before the library that keeps them is imported.

Those of a server lie in one folder, and begin anew with it. A process that no server starts has a part of its own in there, which
it holds a lock on as long as it lives: numbers of processes mean nothing across containers, locks do. What it leaves is added to
what all before it left when the next such process starts, so that counts never fall and files do not become more and more.
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
"""The library's own variable, which it looks at when it is imported."""

_BESIDE: Final = "beside-"
_ENDED: Final = "beside-ended"
_ALIVE: Final = "alive"
_LOCK: Final = "lock"
_FILES: Final = "*.db"
_ANY: Final = "0"
"""In the place of a process's number, in the name of a file that is nobody's any more."""

_held: list[int] = []
"""The lock of this process, which the system takes away when it ends."""


def share(folder: Path, *, anew: bool, environ: MutableMapping[str, str] = os.environ) -> None:
    """Have this process and its children keep their figures in a folder, unless the environment names another.

    ``anew`` takes away what processes that have ended left there.
    """
    folder = Path(environ.setdefault(SHARED, str(folder)))
    with suppress(OSError):  # whoever keeps figures finds out, and keeps none
        folder.mkdir(parents=True, exist_ok=True)
    if anew:
        with _locked(folder, fcntl.LOCK_EX):
            for file in folder.glob(_FILES):
                with suppress(OSError):
                    file.unlink(missing_ok=True)
            for part in (*_ended(folder), folder / _ENDED):
                shutil.rmtree(part, ignore_errors=True)


def share_beside(folder: Path, *, environ: MutableMapping[str, str] = os.environ) -> None:
    """Have this process, which no server started, keep its figures in a part of a folder, unless the environment names another.

    What others left that have ended is added up.
    """
    if SHARED in environ:
        return
    part = folder / f"{_BESIDE}{uuid4().hex}"
    environ[SHARED] = str(part)
    with suppress(OSError), _locked(folder, fcntl.LOCK_EX):
        part.mkdir(parents=True, exist_ok=True)
        _held.append(_opened(part / _ALIVE))
        fcntl.flock(_held[-1], fcntl.LOCK_EX)
        left = [*_ended(folder)]
        _add_up([file for one in left for file in one.glob(_FILES)], folder / _ENDED)
        for one in left:
            shutil.rmtree(one, ignore_errors=True)


def files(folder: Path) -> list[str]:
    """List the files of a server's processes, and of those beside it, whether or not they have ended."""
    return [str(file) for pattern in (_FILES, f"{_BESIDE}*/{_FILES}") for file in folder.glob(pattern)]


@contextmanager
def undisturbed(folder: Path) -> Iterator[None]:
    """Keep others from adding figures up while they are read."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


def _ended(folder: Path) -> Iterator[Path]:
    """Return the parts of processes that are no more."""
    for part in folder.glob(f"{_BESIDE}*/"):
        if part.name != _ENDED and not _is_held(part / _ALIVE):
            yield part


def _is_held(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # an earlier version made none
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _add_up(left: Iterable[Path], into: Path) -> None:
    """Add files up, one for each kind of figure."""
    kinds: dict[str, list[Path]] = {}
    for file in left:
        kinds.setdefault(file.name.partition("_")[0], []).append(file)
    for kind, found in kinds.items():
        from prometheus_client.mmap_dict import MmapedDict  # noqa: PLC0415 - the folder has to be known before

        into.mkdir(exist_ok=True)
        whole = into / f"{kind}_{_ANY}.db"
        sums: dict[str, float] = {}
        for file in (*found, *([whole] if whole.exists() else ())):
            with suppress(
                RuntimeError, ValueError, struct.error
            ):  # a process may be killed as it begins a file
                for key, figure, _, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
                    sums[key] = sums.get(key, 0.0) + figure
        fresh = whole.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        written = MmapedDict(str(fresh))  # type: ignore[no-untyped-call]
        for key, figure in sums.items():
            written.write_value(key, figure, 0.0)  # type: ignore[no-untyped-call]
        written.close()  # type: ignore[no-untyped-call]
        fresh.replace(whole)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Hold the folder's lock; where there can be none there is nothing to be kept either."""
    descriptor = None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _opened(folder / _LOCK)
        fcntl.flock(descriptor, how)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
