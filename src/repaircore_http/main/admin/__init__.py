"""Operations for admins: one module per slice."""
