"""The draft of a reviewer: what is in hand, what each key does with it, and its line in words."""
