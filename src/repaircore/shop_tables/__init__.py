"""Shop tables: exports of any shop system, read as rows, columns and jobs."""
