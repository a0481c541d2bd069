"""Price models: the offline ones, and clients of two protocols."""

from repaircore.adapters.ai.factory import ModelChoice, build_model, build_panel

__all__ = ["ModelChoice", "build_model", "build_panel"]
