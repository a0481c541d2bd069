"""Language models: the offline ones, and clients of two protocols."""

from repaircore.adapters.ai.factory import build_describer, build_model, build_panel

__all__ = ["build_describer", "build_model", "build_panel"]
