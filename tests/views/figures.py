"""What the tests of pictures read from a figure."""

from matplotlib.figure import Figure
from matplotlib.text import Text


def words_of(figure: Figure) -> set[str]:
    """Every text that a figure shows."""
    return {artist.get_text().strip() for artist in figure.findobj(Text)} - {""}
