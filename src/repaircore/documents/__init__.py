"""Documents: what customers get of a visit, on paper, as a PDF and on a page that a link leads to."""
