"""What is measured, against what (docs/explanation/performance.md)."""
