"""The keys: one table a screen, and the map that settings may change."""
