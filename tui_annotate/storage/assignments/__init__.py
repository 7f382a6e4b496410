"""Who has which samples, and by which rules."""
