"""The number of cores that a server may use."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from repaircore_cli.cores import quota, usable_cores

V2 = "0::/system.slice/repaircore.service\n"
V1 = "12:memory:/docker/4f1a\n4:cpu,cpuacct:/docker/4f1a\n0::/docker/4f1a\n"


def machine(root: Path, group: str, files: Mapping[str, str]) -> Path:
    """Create a tree of control groups."""
    for name, text in {"proc/self/cgroup": group, **files}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    ("group", "files", "cores"),
    [
        pytest.param("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0, id="a container, version 2"),
        pytest.param("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5, id="one and a half"),
        pytest.param("0::/\n", {"cpu.max": "max 100000\n"}, None, id="no limit, version 2"),
        pytest.param(V2, {"system.slice/repaircore.service/cpu.max": "50000 100000"}, 0.5, id="a unit"),
        pytest.param(
            V2,
            {
                "system.slice/cpu.max": "100000 100000",
                "system.slice/repaircore.service/cpu.max": "400000 100000",
            },
            1.0,
            id="a slice that allows less than its unit",
        ),
        pytest.param(V2, {}, None, id="a machine without limits"),
        pytest.param(
            V1,
            {"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"},
            3.0,
            id="a container that has no folder of its group's name, version 1",
        ),
        pytest.param(
            V1,
            {
                "cpu,cpuacct/docker/4f1a/cpu.cfs_quota_us": "50000",
                "cpu,cpuacct/docker/4f1a/cpu.cfs_period_us": "25000",
            },
            2.0,
            id="a group below, version 1",
        ),
        pytest.param(
            V1,
            {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
            None,
            id="no limit, version 1",
        ),
        pytest.param("", {}, None, id="a system without control groups"),
        pytest.param("0::/\n", {"cpu.max": "\n"}, None, id="a file that says nothing"),
    ],
)
def test_quota_is_read_from_the_control_group(
    tmp_path: Path, group: str, files: dict[str, str], cores: float | None
) -> None:
    root = machine(tmp_path, group, {f"sys/fs/cgroup/{name}": text for name, text in files.items()})

    assert quota(root) == cores


@pytest.mark.parametrize(("limit", "cores"), [("100000 100000", 1), ("1000 100000", 1)])
def test_usable_cores_are_limited_by_the_quota_and_at_least_one(
    tmp_path: Path, limit: str, cores: int
) -> None:
    assert usable_cores(machine(tmp_path, "0::/\n", {"sys/fs/cgroup/cpu.max": limit})) == cores


def test_usable_cores_are_limited_by_the_affinity(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cores(machine(tmp_path, "0::/\n", {"sys/fs/cgroup/cpu.max": "6400000 100000"})) == 1
    finally:
        os.sched_setaffinity(0, before)
