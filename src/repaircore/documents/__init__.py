"""Documents: the estimate or invoice of a visit, on paper, as a PDF and on a page shared by a link."""
