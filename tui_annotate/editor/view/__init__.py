"""The open sample in the read-only viewer: its state, its key handlers and its status line."""
