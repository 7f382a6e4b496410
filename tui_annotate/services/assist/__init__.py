"""The assist: finds segments of one text that are related to a selection in the other text."""
