"""State of the sample that a user annotates, key handlers, and texts of the status line.

The modules need no screen: a screen shows the state, and passes keys to the handlers.
"""
