"""Documents: the estimate or invoice of a visit, on paper, as a PDF, and on a page that is shared by a link."""
