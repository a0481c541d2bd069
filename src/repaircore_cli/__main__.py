"""``python -m repaircore_cli``."""

from repaircore_cli.main import run

run()
