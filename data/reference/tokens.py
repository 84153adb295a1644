"""Makes small tokenizers of the forms that published models have, with the library tokenizers, and writes what it makes
of texts: tokens/texts.json, and for each form tokens/FORM/tokenizer.json and tokens/FORM/ids.json. Read by
tests/tokenizer/test_tokenizer.c. A tokenizer.json that stands is kept: the library's training does not give the same
one twice.

Run from the root of the book: python3 data/reference/tokens.py
"""
import json
import pathlib
import random

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "tokens"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN = LLAMA3.replace("{1,3}", "")
CORPUS = [(HERE.parents[1] / "README.md").read_text(), (HERE / "make_vectors.py").read_text(),
          "The animal didn't cross the street because it was too tired. I'm sure you're right, they've said we'll go. "
          * 20, "été déjà Größe Straße привет мир 你好 世界 こんにちは 안녕 한국 שלום नमस्ते 😀 🙂 " * 5]

# What goes wrong in tokenizers, and what it is.
TEXTS = [
    ("", "nothing but the template"), (" ", "a space alone"),
    ("   a", "the last of several spaces goes with the word"),
    ("a   ", "spaces at the end stay together"),
    ("a\n\n\n b", "ends of lines among spaces"), ("a \r\n\t b", "CR LF TAB"),
    ("I'M HERE we'Ve don'T it's", "endings in capitals"),
    ("'\u017ft it'\u017f", "a long s is an s without regard to case"),
    ("12345678 ١٢٣٤ Ⅷ ½ ²", "numbers of all kinds, one by one, by three, or whole"),
    ("abc123def 9a", "letters at digits"),
    ("e\u0301 \u00e9 \u1e9b\u0323", "letters and marks that NFC joins"),
    ("\u0344\u0958 \ufb1d \u2126", "what NFC takes apart"),
    ("a\u0315\u0300\u05ae\u0062 a\u0300\u0327", "marks change places"), ("a\u0312\u0300", "a mark stands between"),
    ("각 \u1100\u1161\u11a8 \uac00\u11a8 \u1100\u1161", "Hangul"),
    ("İstanbul ΑΣ ẞ Ǆ Ω", "small letters"), ("你好，世界 𠀀 ㍿ 豈 \U0002b820", "BERT's Chinese, and its hole"),
    ("x\u00a0y\u3000z\u2028w\u0085v\u180eu\u200bt\ufefft\x1cq", "which are spaces"),
    ("a\ufffdc\x7f\x80\x01", "controls"),
    ("\u0378\ue000\U000f0000\U0010ffff", "unassigned, private"),
    ("😀👩\u200d👩\u200d👧🇬🇧☝\U0001f3fd", "joined pictures"),
    ("\U0001fae8\U00010570\u1c89\U00010d50", "characters of new versions of Unicode"),
    ("y" * 100 + " " + "y" * 101 + " " + "é" * 100, "WordPiece: longer than 100 letters"),
    ("<s>a</s> <|end|>b[MASK] <mask> c", "added tokens in a text"),
    (" <|user|>  \n hi", "one takes spaces behind it"),
    ("x <mask> <mask>y", "one takes spaces before it"),
    ("<|end", "cut off"), ("<s><s>  <s>x <s>", "side by side"),
    ("aloneb alone. alone", "one stands alone"),
    ("<0x41> <0x0A>", "looks like a byte"), ("▁a ▁ b", "the mark itself"),
    ("##ing a##b [UNK]", "looks like WordPiece"),
    ("$x_1+=\"a\\n\"; //…—‘’“”´`^~|<>", "signs that are no punctuation"),
    ("    return x\n\n\n\tif  (a)", "code"),
    ("a" * 33, "the leftmost of equal merges"), ("the " * 30, "many words"),
    ("ﬁ ｆｕｌｌ ① ℌ", "what only NFKC would change"), ("שָׁלוֹם مُحَمَّد नमस्ते ก็", "marks inside words"),
    ("\u202eabc\u202c \u00ad", "controls of direction"),
    ("héllo wörld naïve", "accents"), ("a.b,c!d?e.\n\nf).\r\n g", "punctuation at ends of lines"),
    ("do not , isn't . I 'm here ?", "what a decoder tidies"), ("2024-11-05T10:20:30", "digits and signs"),
    ("  alone  <s>  alone  ", "spaces around"),
    ("\ufe0f\u20e3\u0301", "marks alone"), ("\u0149\ufb01\ufb06 'ﬆ", "ligatures"),
]


def letters(*ranges):
    return [chr(c) for a, b in ranges for c in range(a, b)]


def random_texts(count):
    rnd = random.Random(20241105)
    plain = letters((32, 127))
    wide = letters((0xA0, 0x250), (0x300, 0x370), (0x370, 0x600), (0x900, 0x980), (0xE00, 0xE60), (0x1100, 0x1200),
                   (0x1E00, 0x2070), (0x3040, 0x3100), (0x4E00, 0x4E40), (0xAC00, 0xAC40), (0xF900, 0xFA00),
                   (0x1F300, 0x1F340), (0x1D400, 0x1D440))
    pieces = ["  ", "\n", "\r\n", "'s", "'LL", "1234", "▁", "<s>", "<mask>", "[MASK]", " the", "ing", "é", "e\u0301",
              "alone"]
    for _ in range(count):
        parts = [rnd.choice(pieces) if rnd.random() < 0.4 else
                 "".join(rnd.choice(rnd.choice((plain, plain, wide))) for _ in range(rnd.randint(1, 4)))
                 for _ in range(rnd.randint(1, 8))]
        yield "".join(parts)


def alone(content):
    return AddedToken(content, single_word=True, special=False, normalized=False)


def byte_level(pre_tokenizer, normalizer=None, specials=("<|end|>",), post=None, added=(), **how):
    t = Tokenizer(models.BPE(**how))
    t.pre_tokenizer, t.decoder = pre_tokenizer, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.post_processor = post or processors.ByteLevel(trim_offsets=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=list(specials),
                                                      initial_alphabet=alphabet, show_progress=False))
    for token in added:
        (t.add_special_tokens if token.special else t.add_tokens)([token])
    return t


def split_bytes(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def bert(lower):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=lower), pre_tokenizers.BertPreTokenizer()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=500, special_tokens=names, show_progress=False,
                                                            limit_alphabet=120))
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                     special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    t.decoder = decoders.WordPiece()
    return t


def sentencepiece(normalizer, pre_tokenizer, specials, begin, added=(), bytes_too=True, **how):
    """Trained on words that begin with the mark; the bytes stand behind the special tokens."""
    t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=bytes_too, **how))
    t.normalizer, t.pre_tokenizer = normalizers.Replace(" ", "▁"), pre_tokenizers.Split("▁", "merged_with_next")
    every = [f"<0x{b:02X}>" for b in range(256)] if bytes_too else []
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=520, special_tokens=list(specials) + every,
                                                      limit_alphabet=80, show_progress=False))
    j = json.loads(t.to_str())
    j["added_tokens"] = [token for token in j["added_tokens"] if token["content"] not in every]
    j["normalizer"] = j["pre_tokenizer"] = None
    t = Tokenizer.from_str(json.dumps(j))
    if normalizer:
        t.normalizer = normalizer
    if pre_tokenizer:
        t.pre_tokenizer = pre_tokenizer
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    t.decoder = decoders.Sequence(steps + ([decoders.Strip(" ", 1, 0)] if begin == "<s>" else []))
    at = specials.index(begin)
    t.post_processor = processors.TemplateProcessing(single=f"{begin} $A", pair=f"{begin} $A {begin}:1 $B:1",
                                                     special_tokens=[(begin, at)])
    for token in added:
        t.add_special_tokens([token])
    return t


def whole_words():
    t = Tokenizer(models.WordLevel(unk_token="[unknown]"))
    t.normalizer, t.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    t.train_from_iterator(CORPUS, trainers.WordLevelTrainer(vocab_size=200, special_tokens=["[start]", "[unknown]"],
                                                            show_progress=False))
    t.post_processor = processors.BertProcessing(("[unknown]", 1), ("[start]", 0))
    return t


def forms():
    plain, marked = pre_tokenizers.ByteLevel(add_prefix_space=False), normalizers.Replace(" ", "▁")
    around = processors.RobertaProcessing(sep=("</s>", 2), cls=("<s>", 0))
    first = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 0)])
    prepend = normalizers.Sequence([normalizers.Prepend("▁"), marked])
    names = ["<unk>", "<s>", "</s>"]
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), plain])
    falcon = pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), plain, pre_tokenizers.Digits(),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")])
    mask = AddedToken("<mask>", lstrip=True, special=True, normalized=False)
    user = AddedToken("<|user|>", rstrip=True, special=True, normalized=False)
    spaces = [AddedToken(" " * n, special=False, normalized=True) for n in (8, 4, 3, 2)]
    yield "gpt2", byte_level(plain, added=[alone("alone")])
    yield "roberta", byte_level(pre_tokenizers.ByteLevel(), post=around, added=[mask],
                                specials=("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    yield "neox", byte_level(plain, normalizers.NFC(), added=spaces)
    yield "llama3", byte_level(split_bytes(LLAMA3), specials=("<s>", "</s>"), ignore_merges=True,
                               post=processors.Sequence([processors.ByteLevel(), first]))
    yield "qwen2", byte_level(split_bytes(QWEN), normalizers.NFC(), added=[user])
    yield "smollm", byte_level(digits)
    yield "falcon", byte_level(falcon)
    yield "bert_uncased", bert(True)
    yield "bert_cased", bert(False)
    yield "llama2", sentencepiece(prepend, None, names, "<s>", fuse_unk=True)
    yield "phi3", sentencepiece(prepend, None, names, "<s>", [user, alone("alone")], fuse_unk=True)
    yield "mistral", sentencepiece(None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False), names, "<s>",
                                   fuse_unk=True)
    spaced = sentencepiece(None, pre_tokenizers.Metaspace(), names, "<s>", fuse_unk=True, bytes_too=False)
    spaced.decoder = decoders.Metaspace()
    yield "metaspace", spaced
    yield "gemma", sentencepiece(marked, pre_tokenizers.Split(" ", "merged_with_previous"),
                                 ["<pad>", "<eos>", "<bos>", "<unk>"], "<bos>", bytes_too=False)
    yield "whole_words", whole_words()


def old_forms(name, j):
    """Files that exist in the older spelling, too."""
    if name == "gpt2":
        j["model"]["merges"] = [" ".join(pair) for pair in j["model"]["merges"]]
        del j["model"]["type"]
    if name == "llama2":
        for token in j["added_tokens"]:
            token["normalized"] = True
    return j


def ends(t, text):
    """Where the words of a text end, as bytes, before the model sees them."""
    words = t.pre_tokenizer.pre_tokenize_str(text) if t.pre_tokenizer else []
    return [len(text[:to].encode()) for _, (_, to) in words]


def dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main():
    texts = [text for text, _ in TEXTS] + list(random_texts(80))
    (FOLDER / "texts.json").parent.mkdir(exist_ok=True)
    (FOLDER / "texts.json").write_text("[\n" + ",\n".join(map(dumps, texts)) + "\n]\n")
    for name, made in forms():
        path = FOLDER / name / "tokenizer.json"
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_text(dumps(old_forms(name, json.loads(made.to_str()))) + "\n")
        t = Tokenizer.from_file(str(path))
        ids = [t.encode(text).ids for text in texts]
        pair = t.encode(texts[6], texts[22])
        rows = [f'"ids":[\n{",".join(chr(10) + dumps(row) for row in ids)[1:]}\n]',
                f'"plain":{dumps(t.encode(texts[22], add_special_tokens=False).ids)}',
                '"words":[\n' + ",\n".join(dumps(ends(t, text)) for text in texts[:len(TEXTS)]) + "\n]",
                f'"pair":{dumps(pair.ids)}', f'"kinds":{dumps(pair.type_ids)}',
                '"texts":[\n' + ",\n".join(dumps(t.decode(row)) for row in ids[:len(TEXTS)]) + "\n]"]
        (FOLDER / name / "ids.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
    (FOLDER / "versions.txt").write_text(f"tokenizers {tokenizers.__version__}\n")


if __name__ == "__main__":
    main()
