"""Look-ups: VIN decoders and ZIP codes."""
