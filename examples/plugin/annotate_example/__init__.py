"""An example of a plug-in package for tui-annotate."""
