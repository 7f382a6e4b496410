"""The review of the open sample: its state, its key handlers and its status line."""
