"""Use cases of the application; each module or package implements one and imports no other."""
