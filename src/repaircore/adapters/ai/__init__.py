"""AI models: offline formulas, and clients for two protocols."""

from repaircore.adapters.ai.factory import build_describer, build_model, build_panel

__all__ = ["build_describer", "build_model", "build_panel"]
