"""Tables of shops: exports of any shop system, read as rows, columns and jobs."""
