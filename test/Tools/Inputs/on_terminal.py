"""on_terminal.py PROGRAM ARGUMENT...

Runs a program whose standard error is a terminal, prints each state of the last line
there, and says whether that line is empty in the end.
"""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL)
os.close(theirs)
text = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:  # Linux says so when the other end is closed.
        break
    if not part:
        break
    text += part
for line in text.split(b"\r"):
    print(line.replace(b"\x1b[K", b"").decode())
print("ends with an empty line" if text.endswith(b"\r\x1b[K") else "ends within a line")
sys.exit(child.wait())
