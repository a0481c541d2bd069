"""Shop tables: read exports from any shop system as rows, columns and jobs."""
