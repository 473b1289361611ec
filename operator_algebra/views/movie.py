"""A picture that moves: a GIF for documents, an HTML page that needs nothing else."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from operator_algebra.errors import InputError
from operator_algebra.markup import element, html_page

if TYPE_CHECKING:
    from operator_algebra.views.ink.picture import Picture

_MILLISECONDS = 800


class Movie:
    """Pictures of one size shown in turn; the last one stays longer.

    `save` writes .gif or .html; a notebook shows it.
    """

    def __init__(self, pictures: Iterable[Picture], title: str, dpi: float = 80) -> None:
        self.title = title
        self.frames = tuple(picture.png(dpi) for picture in pictures)

    def gif(self) -> bytes:
        """The movie as GIF, in an endless loop."""
        from PIL import Image

        images = [Image.open(io.BytesIO(frame)).convert("RGB") for frame in self.frames]
        palette = images[len(images) // 2].quantize(128)
        first, *others = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
        times = [_MILLISECONDS] * (len(images) - 1) + [3 * _MILLISECONDS]
        buffer = io.BytesIO()
        first.save(buffer, format="GIF", save_all=True, append_images=others, duration=times, loop=0)
        return buffer.getvalue()

    def html(self) -> str:
        """The movie as a page."""
        return html_page(self.title, self._repr_html_())

    def save(self, path: str | Path) -> None:
        """Write the movie to a .gif or .html file."""
        target = Path(path)
        if target.suffix == ".gif":
            target.write_bytes(self.gif())
        elif target.suffix == ".html":
            target.write_text(self.html(), encoding="utf-8")
        else:
            raise InputError(f"{target.name}: a movie is saved as .gif or .html.")

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.gif()).decode("ascii")
        return element("img", src=f"data:image/gif;base64,{data}", alt=self.title, style="max-width:100%")

    def __repr__(self) -> str:
        return f"Movie {self.title}   {len(self.frames)} frames"
