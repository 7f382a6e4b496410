"""The command line: parse, call one service, print; refuses to know how anything is done."""
