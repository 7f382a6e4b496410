"""The command line: parse, call one service, print; refuses to know how anything is done.

A command stands in the module of its name, a small one beside its kin, as `init` in `ingest`. What
such a module has no room for stands beside it, under its name and one more: `labels_normalise` is
a command of `labels`, `labels_telling` how it is told what they did.
"""
