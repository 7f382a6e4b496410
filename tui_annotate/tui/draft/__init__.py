"""The draft of a sample, without a screen: state, key handlers, and texts of the status line."""
