"""Made-up exports of shops, with the repair that each line is: see docs/decisions/files-of-shops.md."""
