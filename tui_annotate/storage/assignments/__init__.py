"""Assignments of samples to annotators, and the rules that assign samples."""
