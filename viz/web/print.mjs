// book.pdf: node print.mjs CHROMIUM WORK TO
//
// Prints WORK/print.html (pages.mjs) twice: where a chapter begins is known after the first time, and the contents of
// the second say it. That takes pdfinfo. Chromium places every letter by itself; where qpdf is, letters that follow
// each other become strings, and objects are packed: half the bytes, and the same page.
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [CHROMIUM, WORK, TO] = process.argv.slice(2);
const profile = join(WORK, "profile"), pdf = join(WORK, "book.pdf");

// What a tool prints, or null where there is no such tool.
function tool(name, ...words) {
  try { return execFileSync(name, words, { encoding: "latin1", stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1 << 28 }); }
  catch (error) { if (error.code === "ENOENT") return null; throw error; }
}

function print(page) {
  rmSync(pdf, { force: true });
  tool(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${resolve(profile)}`,
    "--generate-pdf-document-outline", "--no-pdf-header-footer", `--print-to-pdf=${resolve(pdf)}`, "file://" +
      resolve(page));
}

// ---- letters that follow each other ---------------------------------------------------------------------------------

// The codes of a string: <0010> or (a\)b), two bytes each.
function codes(string) {
  const bytes = string[0] === "<" ? Buffer.from(string.slice(1, -1), "hex")
    : Buffer.from(string.slice(1, -1).replace(/\\(\d{1,3}|\r?\n|.)/gs, (all, c) =>
      /\d/.test(c) ? String.fromCharCode(parseInt(c, 8)) : { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f",
        "\n": "" }[c] ?? c), "latin1");
  return Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readUInt16BE(2 * n));
}

// How wide a font's letters are, in thousandths: /W [first [w w …] first last w …].
function widths(text) {
  const object = n => (text.match(new RegExp(`\\n${n} 0 obj\\n(.*?)\\nendobj`, "s")) || ["", ""])[1];
  const fonts = new Map();
  for (const [, name, n] of text.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    if (fonts.has(name)) continue;
    const [, within] = object(n).match(/\/DescendantFonts \[\s*(\d+) 0 R/) || [], font = within ? object(within) : "";
    const [, list = ""] = font.match(/\/W \[(.*?)\n  \]/s) || font.match(/\/W (\d+) 0 R/) || [];
    const wide = new Map(), [, other] = font.match(/\/DW (\d+)/) || [0, 1000];
    for (const [, first, row, from, to, same] of list.matchAll(/(\d+)\s*\[([^\]]*)\]|(\d+)\s+(\d+)\s+([\d.]+)/g))
      if (row !== undefined) row.trim().split(/\s+/).forEach((w, k) => wide.set(Number(first) + k, Number(w)));
      else for (let k = Number(from); k <= Number(to); k++) wide.set(k, Number(same));
    fonts.set(name, within ? code => wide.get(code) ?? Number(other) : null);
  }
  return fonts;
}

const STRING = "(?:<[0-9a-f]*>|\\((?:[^\\\\()]|\\\\.)*\\))";
const HEAD = "(\\/(F\\d+) ([\\d.]+) Tf\\n[^\\n]* Tm\\n)", MORE = `(?:-?[\\d.]+ 0 Td ${STRING} Tj\\n)+`;
const RUN = new RegExp(`${HEAD}(${STRING}) Tj\\n(${MORE})(?=ET\\n)`, "gs");
const NEXT = new RegExp(`(-?[\\d.]+) 0 Td (${STRING}) Tj\\n`, "gs");
const hex = code => code.toString(16).padStart(4, "0");

// Hundredths of a unit are enough for a line; a unit is at most a point.
const rounded = text => text.replace(/^[-\d. ]+ (?:c|l|m|re|Tm)$/gm, line =>
  line.replace(/-?\d+\.\d{3,}/g, number => String(Number(Number(number).toFixed(2)))));

// x 0 Td moves to the next letter. In a string it comes by itself; what is missing, or too much, is said in
// thousandths.
function joined(text) {
  const fonts = widths(text);
  return text.replace(RUN, (all, head, font, size, first, rest) => {
    const wide = fonts.get(font);
    if (!wide) return all;
    let pen = 0, at = 0, to = "[<";
    const put = string => { for (const code of codes(string)) { to += hex(code); pen += wide(code) * size / 1000; } };
    put(first);
    for (const [, step, string] of rest.matchAll(NEXT)) {
      at += Number(step);
      const off = Math.round((pen - at) / size * 1000);
      if (Math.abs(off) > 1) { to += `>${off}<`; pen -= off * size / 1000; }
      put(string);
    }
    return `${head}${to}>]TJ\n`;
  });
}

const LONGEST = 2 ** 28;                             // of a text in memory: figures that are pixels lie open in it
function packed() {
  const loose = pdf + ".qdf";
  if (tool("qpdf", "--qdf", "--object-streams=disable", pdf, loose) === null) return copyFileSync(pdf, TO);
  if (statSync(loose).size < LONGEST) {
    writeFileSync(loose, rounded(joined(readFileSync(loose, "latin1"))), "latin1");
    writeFileSync(pdf, tool("fix-qdf", loose), "latin1");
  }
  tool("qpdf", "--object-streams=generate", "--recompress-flate", "--compression-level=9", pdf, TO);
  rmSync(loose);
}

// ---- the book -------------------------------------------------------------------------------------------------------

const first = join(WORK, "print.html"), second = join(WORK, "print-2.html");
if (CHROMIUM !== "none") {
  print(first);
  const places = tool("pdfinfo", "-dests", pdf);
  if (places !== null) {
    const pages = new Map([...places.matchAll(/^ *(\d+) \[.*\] "(.*)"$/gm)].map(([, page, name]) => [name, page]));
    writeFileSync(second, readFileSync(first,
      "utf8").replace(/(<a href="#([^"]*)">(?:(?!<\/a>).)*<span class="page">)(?=<\/span>)/gs,
      (all, before, name) => before + (pages.get(name) || "")));
    print(second);
  }
}
packed();
rmSync(profile, { recursive: true, force: true });
