"""Import and export formats: each module or subpackage reads and writes one format.

No format imports another one.
"""
