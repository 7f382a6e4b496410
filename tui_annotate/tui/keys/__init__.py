"""Keys: the table of actions for each screen, and the key map that settings can change."""
