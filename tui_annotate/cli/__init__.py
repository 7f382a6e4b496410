"""The command line: parse, call one service, print; refuses to know how anything is done.

A module is named after its command or group of commands; a small command is in the module of its
topic, as `init` in `ingest`. `options` declares what several commands share, `output` prints.
"""
