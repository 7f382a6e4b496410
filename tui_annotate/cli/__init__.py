"""Command line: each command parses its options, calls a service and prints the result.

A module is named after its command or group of commands; a small command is in the module of its
topic, as `init` in `ingest` and `notice` in `comments`. `options` declares what several commands
share, `output` prints.
"""
