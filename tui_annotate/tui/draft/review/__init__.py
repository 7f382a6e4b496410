"""The draft of a reviewer: its state, what each key does, and the text of the draft line."""
