"""The event log of all actions, and the tables that are derived from it."""
