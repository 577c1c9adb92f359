"""usage: check_png.py FILE.png ...: reads the chunks and the pixels of each."""

import struct
import sys
import zlib

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature"
    at, names, pixels = 8, [], b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (crc,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert crc == zlib.crc32(name + body), f"checksum of {name}"
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        if name == b"IDAT":
            pixels += body
        names.append(name)
        at += 12 + size
    assert names[0] == b"IHDR" and names[-1] == b"IEND" and at == len(data)
    assert depth == 8 and colour in (2, 6), (depth, colour)
    rows = zlib.decompress(pixels)
    assert len(rows) == height * (1 + width * (3 if colour == 2 else 4))
    assert len(set(rows)) > 4, "one colour only"
