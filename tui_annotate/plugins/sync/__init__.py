"""Work on its way between workspaces: streams as lines, folders, bundles, a table of PostgREST."""
