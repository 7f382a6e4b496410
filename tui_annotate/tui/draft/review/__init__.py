"""The draft of a reviewer: state, key handlers, and texts of the draft line."""
