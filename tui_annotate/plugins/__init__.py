"""The outside world, by name: formats and embedders, with what they are made of.

    registry      finds plug-ins, built-in ones and those of other packages
    protocols     what a plug-in promises, and what it is given
    formats       what is read and written
    embedders     what makes vectors
    files         bytes, text and values in and out
    exchange      work on its way between workspaces
    accounts      accounts in files
    models        models in folders

The modules beside these rooms are for those who write a format; `docs/formats.md` shows how.
"""
