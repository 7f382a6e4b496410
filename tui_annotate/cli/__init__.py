"""Command line: each command parses its options, calls the workspace's API and prints results.

A small command is in the module of its topic, as `init` in `ingest` and `notice` in `comments`.
"""
