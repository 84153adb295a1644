"""Writes lib/tokenizer/unicode_tables.h: what the library tokenizers takes for a letter, a mark, a small letter.

Its parts are of four versions of Unicode, so none is taken from a standard: the library is asked, one code point after
the other. Run from the root of the book: python3 data/reference/unicode_tables.py
"""
import pathlib
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

TABLES = pathlib.Path(__file__).resolve().parents[2] / "lib/tokenizer/unicode_tables.h"
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def matched(pattern):
    """The code points that a class of regular expressions has."""
    split = pre_tokenizers.Split(Regex(pattern + "+"), "removed")
    left = {ord(c) for part, _ in split.pre_tokenize_str("".join(map(chr, POINTS))) for c in part}
    return [c for c in POINTS if c not in left]


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on}).normalize_str


def word_characters():
    """What an added token that must stand alone may not stand beside."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.add_tokens([AddedToken("zz", single_word=True)])
    alone = tokenizer.token_to_id("zz")
    return [c for c in POINTS if alone not in tokenizer.encode(chr(c) + "zz").ids]


def ranges(points):
    out = []
    for c in points:
        if out and c == out[-1][1] + 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def lower_runs():
    """(first, last, step, distance): first, first + step … last become themselves + distance."""
    lower, out = normalizers.Lowercase().normalize_str, []
    for c in POINTS:
        small = lower(chr(c))
        if small == chr(c) or len(small) > 1:
            continue
        distance = ord(small) - c
        last = out[-1] if out else None
        if last and last[3] == distance and (c - last[1] == last[2] or last[0] == last[1] and c - last[1] <= 2):
            last[2], last[1] = c - last[1], c
        else:
            out.append([c, c, 1, distance])
    return out


def decompositions():
    """(whole, first, second, composes), second 0 where there is one; a first may have one of its own."""
    nfd, nfc, out = normalizers.NFD().normalize_str, normalizers.NFC().normalize_str, []
    for c in POINTS:
        if nfd(chr(c)) == chr(c) or 0xAC00 <= c <= 0xD7A3:
            continue
        parts = [int(part, 16) for part in unicodedata.decomposition(chr(c)).split()] + [0]
        first, second = parts[:2]
        pair = chr(first) + (chr(second) if second else "")
        assert nfd(pair) == nfd(chr(c)), hex(c)
        out.append((c, first, second, second and nfc(pair) == chr(c)))
    return out


def mark_classes():
    """(first, last, class): marks that change places. A class that the library does not know counts as 0."""
    nfd, out = normalizers.NFD().normalize_str, []
    for c in POINTS:
        cls = unicodedata.combining(chr(c))
        if not cls or nfd(chr(c)) != chr(c):
            continue
        # behind a mark of a greater class it comes first; one of a smaller class comes before it
        pair = "a\u0345" + chr(c) if cls < 240 else "a" + chr(c) + "\u0315"
        if nfd(pair) == pair:
            continue
        if out and out[-1][1] == c - 1 and out[-1][2] == cls:
            out[-1][1] = c
        else:
            out.append([c, c, cls])
    return out


def filled(items):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 119:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join(lines + [line])


def table(kind, name, rows, comment):
    shown = filled("{ " + ", ".join(f"0x{v:X}" if v > 9 else str(v) for v in row) + " }" for row in rows)
    return f"// {comment}\nstatic const {kind} {name}[] = {{\n{shown}\n}};\n"


def main():
    clean, strip, cut = bert(clean_text=True), bert(strip_accents=True), pre_tokenizers.BertPreTokenizer()
    chinese = bert(handle_chinese_chars=True)
    classes = [
        ("letters", matched(r"\p{L}"), r"\p{L} of patterns"),
        ("numbers", matched(r"\p{N}"), r"\p{N} of patterns"),
        ("spaces", matched(r"\s"), r"\s of patterns, White_Space"),
        ("word_letters", word_characters(), r"\w, beside a token that must stand alone"),
        ("bert_removed", [c for c in POINTS if clean(chr(c)) == ""], "BERT: taken out of a text"),
        ("bert_blanks", [c for c in POINTS if clean(chr(c)) == " "], "BERT: become a space"),
        ("bert_chinese", [c for c in POINTS if chinese(chr(c)) != chr(c)], "BERT: words of their own"),
        ("bert_punctuation", [c for c in POINTS if len(cut.pre_tokenize_str(f"a{chr(c)}b")) == 3], "BERT: the same"),
        ("bert_accents", [c for c in POINTS if strip(chr(c)) == ""], "BERT: taken away as accents"),
    ]
    pairs = decompositions()
    composed = sorted((i for i, p in enumerate(pairs) if p[3]), key=lambda i: pairs[i][1:3])
    lower = filled("{ 0x%X, 0x%X, %d, %d }" % tuple(run) for run in lower_runs())
    parts = [
        "// Made by data/reference/unicode_tables.py with tokenizers " + tokenizers.__version__
        + ", which was asked for every code point.",
        "#ifndef LANGUAGE_UNICODE_TABLES_H\n#define LANGUAGE_UNICODE_TABLES_H\n\n#include <stdint.h>\n",
        "typedef struct { uint32_t first, last; } UnicodeRange;",
        "typedef struct { uint32_t first, last; int step, distance; } UnicodeLowerRun;",
        "typedef struct { uint32_t first, last; int order; } UnicodeMarkRun;",
        "typedef struct { uint32_t whole, first, second; } Decomposition;\n",
    ]
    parts += [table("UnicodeRange", name, ranges(points), comment) for name, points, comment in classes]
    latin = [sum((c in points) << bit for bit, (_, points, _) in enumerate(classes)) for c in range(256)]
    parts += ["// the first 256 code points: a bit a class, in the order above\nstatic const uint16_t latin[256] = {\n"
              + filled("0x%X" % bits for bits in latin) + "\n};\n"]
    parts += ["// first, first + step … last become themselves + distance\nstatic const UnicodeLowerRun lower_runs[] = {\n"
              + lower + "\n};\n"]
    parts += [table("UnicodeMarkRun", "mark_runs", mark_classes(), "canonical combining classes other than 0")]
    parts += [table("Decomposition", "decompositions", [p[:3] for p in pairs],
                    "canonical decompositions, Hangul left out; a first one may be decomposed further")]
    parts += ["// those that NFC makes of their parts, by first and second\nstatic const uint16_t compositions[] = {\n"
              + filled(map(str, composed)) + "\n};\n", "#endif"]
    TABLES.write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
