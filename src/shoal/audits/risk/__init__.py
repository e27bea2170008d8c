"""Risk: how likely a record is linked to the person it is about."""
