"""Invoice files: exports from shop systems, whose columns and repairs are recognized before they are imported."""
