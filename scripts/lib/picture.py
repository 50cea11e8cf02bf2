"""Draws a terminal's screen as SVG: reads what `tmux capture-pane -e -p` prints, text with SGR sequences, and nothing else.

    picture.py COLUMNS ROWS CURSOR_X CURSOR_Y TITLE < SCREEN > FILE.svg

Lines of boxes are drawn as lines, so that they meet whatever the font is; every run of text is as wide as its cells.
"""

import re
import sys
import unicodedata
from html import escape

WIDTH, HEIGHT, SIZE = 8.4, 18, 14
MARGIN, BAR = 12, 30
BACKGROUND, FOREGROUND, FRAME = "#15181e", "#d4d9e2", "#2b303b"
SIXTEEN = (
    "#1c2026 #d9626b #7fb56a #d3a850 #5c96d6 #b07ac9 #53abb0 #c5cad3"
    " #6b7280 #ec8189 #9fd08b #e8c476 #83b4ea #c99bdd #7fcdd1 #f2f4f8"
).split()

# Arms of the box-drawing characters: left, right, up, down; 2 is heavy, 3 is double.
BOXES = {
    "─": "1100", "│": "0011", "┌": "0101", "┐": "1001", "└": "0110", "┘": "1010", "├": "0111", "┤": "1011",
    "┬": "1101", "┴": "1110", "┼": "1111", "╭": "0101", "╮": "1001", "╰": "0110", "╯": "1010",
    "━": "2200", "┃": "0022", "┏": "0202", "┓": "2002", "┗": "0220", "┛": "2020", "┣": "0222", "┫": "2022",
    "┠": "0122", "┨": "1022", "═": "3300", "║": "0033", "╔": "0303", "╗": "3003", "╚": "0330", "╝": "3030",
    "╠": "0333", "╣": "3033", "╟": "0133", "╢": "1033", "╞": "0311", "╡": "3011",
}  # fmt: skip


class Style:
    """What SGR has set."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.italic = self.underline = self.reverse = self.strike = self.hidden = False

    def take(self, numbers):
        numbers = iter(numbers)
        for n in numbers:
            flags = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 8: "hidden", 9: "strike"}
            if n == 0:
                self.reset()
            elif n in flags:
                setattr(self, flags[n], True)
            elif n == 22:
                self.bold = self.dim = False
            elif n - 20 in flags and 23 <= n <= 29:
                setattr(self, flags[n - 20], False)
            elif 30 <= n <= 37 or 90 <= n <= 97:
                self.fg = SIXTEEN[n - 30 if n < 90 else n - 82]
            elif 40 <= n <= 47 or 100 <= n <= 107:
                self.bg = SIXTEEN[n - 40 if n < 100 else n - 92]
            elif n in (38, 48):
                colour = long_colour(numbers)
                self.fg, self.bg = (colour, self.bg) if n == 38 else (self.fg, colour)
            elif n == 39:
                self.fg = None
            elif n == 49:
                self.bg = None

    def colours(self):
        fg, bg = self.fg or FOREGROUND, self.bg
        if self.reverse:
            fg, bg = bg or BACKGROUND, fg
        return fg, bg

    def attributes(self):
        fg, _ = self.colours()
        out = f' fill="{fg}"'
        out += ' font-weight="bold"' if self.bold else ""
        out += ' font-style="italic"' if self.italic else ""
        out += ' opacity="0.6"' if self.dim else ""
        lines = " ".join(word for word, on in (("underline", self.underline), ("line-through", self.strike)) if on)
        return out + (f' text-decoration="{lines}"' if lines else "")


def long_colour(numbers):
    kind = next(numbers, 0)
    if kind == 2:
        return "#" + "".join(f"{next(numbers, 0) & 255:02x}" for _ in range(3))
    n = next(numbers, 0)
    if n < 16:
        return SIXTEEN[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    n -= 16
    return "#" + "".join(f"{0 if v == 0 else 55 + 40 * v:02x}" for v in (n // 36, n // 6 % 6, n % 6))


def cells(line, style):
    """Each character with its column, its width and what is drawn for its style."""
    column = 0
    for sgr, char in re.findall(r"\x1b\[([\d;:]*)m|([^\x1b])", line):
        if not char:
            style.take(int(n or 0) for n in re.split("[;:]", sgr))
            continue
        if unicodedata.combining(char):
            continue
        width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        fg, bg = style.colours()
        yield column, width, " " if style.hidden else char, style.attributes(), fg, bg
        column += width


def box(x, y, arms, colour):
    """Lines from the middle of a cell to its edges."""
    mx, my = x + WIDTH / 2, y + HEIGHT / 2
    ends = ((x, my), (x + WIDTH, my), (mx, y), (mx, y + HEIGHT))
    out = ""
    for arm, (ex, ey) in zip(arms, ends):
        shifts = {"0": (), "1": (0,), "2": (0,), "3": (-1.5, 1.5)}[arm]
        for by in shifts:
            dx, dy = (0, by) if ey == my else (by, 0)
            width = 2.2 if arm == "2" else 1.1
            out += f'<path d="M{mx + dx:.1f} {my + dy:.1f}L{ex + dx:.1f} {ey + dy:.1f}" stroke="{colour}" stroke-width="{width}"/>'
    return out


def row(line, number, style):
    """Backgrounds, boxes and runs of text of one line."""
    y = BAR + MARGIN + number * HEIGHT
    under, over, run = "", "", []

    def flush():
        nonlocal over, run
        text = "".join(char for _, _, char, _ in run)
        if text.strip():
            start, span = run[0][0], sum(width for _, width, _, _ in run)
            over += (
                f'<text x="{MARGIN + start * WIDTH:.1f}" y="{y + HEIGHT * 0.74:.1f}"'
                f' textLength="{span * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"{run[0][3]}>{escape(text)}</text>'
            )
        run = []

    for column, width, char, attributes, fg, bg in cells(line, style):
        x = MARGIN + column * WIDTH
        if bg:
            under += f'<rect x="{x:.1f}" y="{y}" width="{width * WIDTH + 0.3:.1f}" height="{HEIGHT}" fill="{bg}"/>'
        if char in BOXES:
            flush()
            over += box(x, y, BOXES[char], fg)
            continue
        # A blank ends a run: words keep their columns in whatever font.
        if run and (run[-1][3] != attributes or char == " " or run[-1][0] + run[-1][1] != column):
            flush()
        if char != " ":
            run.append((column, width, char, attributes))
    flush()
    return under + over


def main():
    columns, rows, cursor_x, cursor_y = (int(word) for word in sys.argv[1:5])
    title = escape(sys.argv[5])
    width, height = 2 * MARGIN + columns * WIDTH, BAR + 2 * MARGIN + rows * HEIGHT
    style = Style()
    lines = sys.stdin.read().split("\n")[:rows]
    body = "\n".join(filter(None, (row(line, number, style) for number, line in enumerate(lines))))
    dots = "".join(f'<circle cx="{18 + 18 * i}" cy="{BAR / 2}" r="5" fill="#4a5060"/>' for i in range(3))
    x, y = MARGIN + cursor_x * WIDTH, BAR + MARGIN + cursor_y * HEIGHT
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
        f' font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="{SIZE}">\n'
        f"<title>{title}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}" stroke="{FRAME}"/>{dots}\n'
        f'<text x="{width / 2:.0f}" y="{BAR * 0.66:.0f}" text-anchor="middle" fill="#8b93a3" font-size="12">{title}</text>\n'
        f'{body}\n<rect x="{x:.1f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" fill="{FOREGROUND}" opacity="0.45"/>\n</svg>'
    )


if __name__ == "__main__":
    main()
