"""The draft of a sample without a screen: its state, what each key does, and the draft line."""
