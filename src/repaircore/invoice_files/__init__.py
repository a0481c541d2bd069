"""Invoice files: exports of shop systems, whose columns and repairs are recognized before they are imported."""
