"""How good estimates are: worlds whose truth is known, and the product beside other methods on the same invoices."""
