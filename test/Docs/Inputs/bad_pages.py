"""Writes pages of which each has something wrong to a folder."""

import os
import shutil
import sys

PAGES = {
    "bare": "A block.\n\n```\nls\n```\n",
    "comment": "A block.\n\n<!-- need cuda -->\n```sh\nls\n```\n",
    "ir": "```mlir\nfunc.func @main( {}\n```\n",
    "python": "A block.\n\n```python\nx = 0\n1 / x\n```\n",
    "shell": "A block.\n\n```sh\n(exit 3)\n```\n",
    "unfinished": "```sh\ntrue\n```\n\n```sh\ntrue\n",
}

folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
for name, text in PAGES.items():
    with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
        file.write(text)
