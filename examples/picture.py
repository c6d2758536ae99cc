"""Pictures of NumPy arrays, for the notebooks. No further library is needed."""

import pathlib
import re
import struct
import zlib

import numpy as np

# The lists of colours that the programs in C have, such as FIRE.
HEADER = pathlib.Path(__file__).with_name("picture.h")
COLOURS = dict(re.findall(r'#define (\w+) "([0-9a-f ]+)"', HEADER.read_text()))


class Picture:
    """A pixel for each number of `values`: `low` has the first colour, `high` the last one."""

    def __init__(self, values, low, high, colours):
        self.height, self.width = np.shape(values)
        share = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1)
        stops = np.array([list(bytes.fromhex(colour)) for colour in COLOURS[colours].split()])
        places = np.linspace(0, 1, len(stops))
        palette = np.stack([np.interp(np.linspace(0, 1, 256), places, stops[:, k]) for k in range(3)], axis=1)
        self.palette = palette.astype(np.uint8)
        self.pixels = np.rint(255 * share).astype(np.uint8)

    def __repr__(self):
        return f"a picture of {self.width} x {self.height}"

    def _repr_png_(self):
        """The bytes of a PNG file, which Jupyter shows."""
        # Each byte is written as its difference to the one on its left.
        left = np.zeros_like(self.pixels)
        left[:, 1:] = self.pixels[:, :-1]
        rows = np.hstack([np.ones((self.height, 1), np.uint8), self.pixels - left])
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 3, 0, 0, 0)
        chunks = [
            (b"IHDR", head),
            (b"PLTE", self.palette.tobytes()),
            (b"IDAT", zlib.compress(rows.tobytes(), 9)),
            (b"IEND", b""),
        ]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            for name, data in chunks
        )

    def save(self, name):
        """Writes the picture as a PNG file."""
        pathlib.Path(name).write_bytes(self._repr_png_())
