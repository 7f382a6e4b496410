"""What people did: the log, and what follows from it."""
