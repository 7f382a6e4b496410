"""Plug-ins for file formats and embedders, with the modules that plug-ins share.

    registry      finds built-in plug-ins and plug-ins of other packages by name
    protocols     the protocols that plug-ins implement, and their option classes
    formats       importers and exporters of file formats
    embedders     embedders, which turn texts into vectors
    files         readers and writers of bytes, text and JSON values
    label_studio  reader of Label Studio's tasks and rows, for its format and for tables
    sync          files and tables that carry work between workspaces
    account_files files with user accounts
    model_hub     download of model folders
    model_weights finds and checks the weights of models on this machine

The other modules help authors of formats; `docs/formats.md` shows how to write a format.
"""
