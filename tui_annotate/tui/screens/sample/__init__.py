"""The screen of one sample, which annotating, reviewing and viewing are made of."""
