"""The draft of the read-only viewer: state, key handlers, and texts of the draft line."""
