"""The machine that this process runs on."""

import os
import shutil
import stat
from importlib.util import find_spec
from pathlib import Path

from typing_extensions import override

from repaircore.checkup.ports import Machine


class LocalMachine(Machine):
    """Inspects the local machine through the operating system."""

    @override
    def nearest_existing(self, folder: Path) -> Path:
        return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())

    @override
    def free_bytes(self, folder: Path) -> int:
        return shutil.disk_usage(folder).free

    @override
    def is_folder(self, path: Path) -> bool:
        return path.is_dir()

    @override
    def may_write(self, path: Path) -> bool:
        return os.access(path, os.W_OK)

    @override
    def is_open_to_others(self, file: Path) -> bool:
        return file.exists() and bool(file.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH))

    @override
    def has_package(self, module: str) -> bool:
        return find_spec(module) is not None
