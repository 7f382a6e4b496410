"""The viewer's screen, which shows a file read-only and has no access to a store."""
