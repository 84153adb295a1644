// The pages of the book: node pages.mjs TO WORK PROGRAM…
//
// Run in the book's folder. Every README that a reader meets becomes a page in TO; book.html is all of them in one
// piece. The figures lie in WORK/both (figures.mjs), and are packed for each page; print.html, of which book.pdf is
// made, goes to WORK. PROGRAM…: what runs in a page. cmark-gfm reads the Markdown, highlight colours the code.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync,
  writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { basename, dirname, extname, join, normalize, posix } from "node:path";

const [TO, WORK, ...PROGRAMS] = process.argv.slice(2);
const read = path => readFileSync(path, "utf8");
const escape = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const plain = html => html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
  .replace(/&amp;/g, "&");

// ---- what there is --------------------------------------------------------------------------------------------------

const chapters = readdirSync("chapters").filter(name => /^\d\d_/.test(name) &&
  existsSync(`chapters/${name}/README.md`));
// What a chapter has beside its README and its answers: pages of their own, behind it.
const further = chapter => readdirSync(`chapters/${chapter}`).filter(file => /^[A-Z]+\.md$/.test(file) &&
  file !== "README.md" && file !== "ANSWERS.md").sort().map(file => ({ kind: "further", program: chapter,
    name: `${file.replace(".md", "").toLowerCase()}_${chapter.slice(0, 2)}`, path: `chapters/${chapter}/${file}` }));
const pages = [
  { name: "index", path: "README.md", kind: "front" },
  ...chapters.flatMap(name => [{ name, path: `chapters/${name}/README.md`, kind: "chapter", program: name },
    ...further(name)]),
  { name: "models", path: "data/models/README.md", kind: "appendix", program: "models" },
  { name: "viewer", path: "viz/README.md", kind: "appendix" },
  { name: "vectors", path: "data/reference/README.md", kind: "appendix" },
  { name: "house", path: "lib/README.md", kind: "appendix" },
  { name: "fuzzing", path: "tests/fuzz/README.md", kind: "aside" },
];
const pageOf = new Map(pages.map(page => [page.path, page]));

function markdown(path) {
  return execFileSync("cmark-gfm", ["-e", "table", "-e", "autolink", "--smart", "--unsafe", "--full-info-string", path],
    { encoding: "utf8", maxBuffer: 1 << 26 }).replace(/<!--.*?-->\n?/gs, "");
}

// ---- code, coloured: all of it by one call --------------------------------------------------------------------------

const HUES = { slc: "c", com: "c", str: "s", sng: "s", esc: "s", pps: "s", num: "n", kwa: "k", kwb: "k", ppc: "p" };
const coloured = new Map();                          // language and code → its HTML
const LANGUAGES = { c: "c", h: "c", cu: "cpp", cpp: "cpp", py: "py", python: "py", sh: "sh", js: "js", json: "json" };

function colour(codes) {
  const missing = codes.filter(([language, code]) => LANGUAGES[language] && !coloured.has(language + code));
  if (!missing.length) return;
  const folder = join(WORK, "code");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = missing.map(([language, code], n) => {
    const file = join(folder, `${n}.${LANGUAGES[language]}`);
    writeFileSync(file, code);
    return file;
  });
  execFileSync("highlight", ["-q", "-O", "html", "-f", "--no-trailing-nl", "-d", folder, ...files], { stdio: "pipe" });
  missing.forEach(([language, code], n) => {
    const open = [];
    const html = read(files[n] + ".html").replace(/<span class="hl (\w+)">|<\/span>/g, (tag, kind) => {
      if (kind) open.push(HUES[kind]);
      const hue = kind ? HUES[kind] : open.pop();
      return hue ? kind ? `<i class="${hue}">` : "</i>" : "";
    }).replace(/&apos;/g, "'").replace(/&quot;/g, '"').replace(/<i class="(\w)">(\s*)<\/i>/g, "$2")
      .replace(/<\/i>(\s*)<i class="c">/g, (all, space) => all);
    coloured.set(language + code, html.replace(/\n$/, ""));
  });
}
const inColour = (language, code) => coloured.get(language + code) || escape(code.replace(/\n$/, ""));

// Code that says how many columns it has: print makes it as small as that asks for.
function wide(language, code) {
  const columns = Math.max(...code.split("\n").map(line => [...line].length));
  return `<pre tabindex="0" style="--columns:${columns}"><code>${inColour(language, code)}</code></pre>`;
}

// ---- where a link leads ---------------------------------------------------------------------------------------------

// Sources have pages where a reader's text leads to them. What is said to those who add to the house leads to those
// that are there, and else names the file: they have the folder.
const sources = new Map();                           // path, of a file or a folder → the lines that are led to
const isText = path => !/\.(png|npy|safetensors)$/.test(path);

function sourcePage(path, from) {
  const adds = /^(lib|tests)\//.test(from);
  if (!existsSync(path) || !isText(path) || adds && !sources.has(path)) return null;
  if (!sources.has(path)) sources.set(path, new Set());
  return `source/${path}.html`;
}

// The page and anchor that a link of the file at `from` leads to, as seen from TO.
function target(href, from) {
  if (/^[a-z]+:/.test(href)) return href;
  const [, file, hash] = href.match(/^([^#]*)(#.*)?$/);
  const path = file ? normalize(posix.join(dirname(from), file)).replace(/\/$/, "") : from;
  const readme = pageOf.get(path) || pageOf.get(path + "/README.md");
  if (readme) return readme.name + ".html" + (hash || "");
  const [, chapter, name] = path.match(/^chapters\/(\w+)\/(.*)$/) || [];
  if (name === "ANSWERS.md") return `${chapter}.html#answers`;
  if (/^exercise_\w+\.cu?$/.test(name || "")) return `${chapter}.html#${name.replace(/\..*/, "")}`;
  return sourcePage(path, from);
}

// ---- the parts of a page --------------------------------------------------------------------------------------------

const slug = html => plain(html).toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replace(/ /g, "-");

function headings(html, prefix, deeper) {
  const used = new Map(), list = [];
  const text = html.replace(/<h(\d)>(.*?)<\/h\d>/gs, (all, level, words) => {
    let id = slug(words), count = used.get(id) || 0;
    used.set(id, count + 1);
    if (count) id += `-${count}`;
    list.push({ level: +level, id: prefix + id, words });
    const numbered = words.replace(/^(\d+)\. /, '<span class="number">$1</span> ');
    return `<h${+level + deeper} id="${prefix + id}">${numbered}</h${+level + deeper}>`;
  });
  return { text, list };
}

// FNV-1a: page.js knows by it whether a figure came out as it stands here.
const hash = bytes => bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 16777619) >>> 0, 2166136261).toString(36);

// ![words](figures/name.png): the same as SVG, with its words under it. The file is in the pack of its page, and
// page.js takes it from there: as they are, a hundred and fifty files of numbers are four times as long.
const NOTHING = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
const packs = new Map();                             // page → { name: SVG }
function figure(page, name, alt) {
  const group = page.program || "viewer";
  if (!existsSync(`${WORK}/both/${group}/${name}.svg`)) return asItLies(page, name, alt);
  const svg = read(`${WORK}/both/${group}/${name}.svg`);
  packs.set(group, { ...packs.get(group), [name]: svg });
  const [, width, height] = svg.match(/width="([\d.]+)" height="([\d.]+)"/).map(Math.round);
  const drawn = scheme => hash(readFileSync(`${WORK}/${scheme}/${group}/${name}.svg`));
  return `<figure${page.program ? ` data-figure="${name}" data-drawn="${drawn("light")} ${drawn("dark")}"` : ""}>` +
    `<a class="picture"><img src="${NOTHING}" data-pack="${group}/${name}" width="${width}" height="${height}" ` +
    `alt="${alt}"></a>` +
    `<figcaption aria-hidden="true">${alt}</figcaption></figure>`;
}

// A figure that no program drew here (the viewer's, where SDL2 is missing): the PNG of the book, two pixels a point.
function asItLies(page, name, alt) {
  const from = join(dirname(page.path), "figures", name + ".png"), file = `figures/${page.name}-${name}.png`;
  const bytes = readFileSync(from);
  for (const to of [TO, WORK]) {
    mkdirSync(join(to, "figures"), { recursive: true });
    copyFileSync(from, join(to, file));
  }
  const [width, height] = [bytes.readUInt32BE(16) / 2, bytes.readUInt32BE(20) / 2];
  return `<figure><img src="${file}" width="${width}" height="${height}" loading="lazy" decoding="async" ` +
    `alt="${alt}"><figcaption aria-hidden="true">${alt}</figcaption></figure>`;
}

// A command of a block of sh that this page can run: its program and flags, and what stands around them.
function command(line) {
  const found = line.match(/^(make && )?build\/(?:chapters|pages)\/(\w+)((?: [^#&|]*?)?)(\s*#.*)?$/)
    || line.match(/^()build\/(attend)((?: [^#&|]*?)?)(\s*#.*)?$/);
  return found && PROGRAMS.includes(found[2]) && { program: found[2], flags: found[3].trim(), note: (found[4] ||
    "").trim() };
}
const folderOf = program => program === "attend" ? "build" : program === "models" ? "build/pages" : "build/chapters";

function live({ program, flags, from = 0, to = 0, note = "", text = null }) {
  const steps = from ? ` data-from="${from}" data-to="${to}"` : "";
  const shown = text === null ? "" : `<pre tabindex="0">${escape(text.replace(/\n$/, ""))}</pre>`;
  const bare = text === null ? " bare" : "";
  return `<div class="live${bare}" data-program="${program}" data-flags="${escape(flags)}"${steps}>` +
    `<p class="command"><code>${folderOf(program)}/${program}${flags ? " " + escape(flags) : ""}</code></p>` +
    (note ? `<p class="note">${escape(note.replace(/^#\s*/, ""))}</p>` : "") + shown + "</div>";
}

function shell(code) {
  const lines = code.replace(/\\\n\s*/g, "").trimEnd().split("\n"), parts = [];
  let still = [];
  const rest = () => {
    if (still.length) parts.push(`<pre class="shell" tabindex="0"><code>${escape(still.join("\n"))}</code></pre>`);
    still = [];
  };
  if (!lines.some(command)) return `<pre class="shell" tabindex="0"><code>${escape(code.trimEnd())}</code></pre>`;
  for (const line of lines) {
    const runs = command(line);
    if (!runs) { still.push(line); continue; }
    rest();
    parts.push(live(runs));
  }
  rest();
  return parts.join("\n");
}

function block(page, language, meta, code) {
  const [first, second, third] = meta.split(" ");
  if (language === "text" && second === "step" && PROGRAMS.includes(first)) {
    const [from, to] = third.split("-").map(Number);
    return live({ program: first, flags: meta.split(" ").slice(3).join(" "), from, to: to || from, text: code });
  }
  if (language === "sh") return shell(code);
  if (language === "text") return `<pre class="output" tabindex="0">${escape(code.trimEnd())}</pre>`;
  if (!language) return `<pre class="formula" tabindex="0">${escape(code.trimEnd())}</pre>`;
  const path = language === "c" && meta ? first : null;
  const head = path ? `<p class="from"><a href="${place(path, code)}"><code>${path}</code></a></p>` : "";
  return `<div class="code">${head}${wide(language, code)}</div>`;
}

// The page of a source, at the line where this code begins.
function place(path, code) {
  const page = sourcePage(path, ""), at = read(path).indexOf(code.split("\n").slice(0, 3).join("\n"));
  if (at <= 0) return page;
  const line = read(path).slice(0, at).split("\n").length;
  sources.get(path).add(line);
  return `${page}#L${line}`;
}

const BLOCK = /<pre><code(?: class="language-([^"]*)")?(?: data-meta="([^"]*)")?>(.*?)<\/code><\/pre>/gs;
const blockOf = language => `<pre><code class="language-${language}">(.*?)</code></pre>`;
const COMMAND_AND_OUTPUT = new RegExp(`${blockOf("sh")}\\s*${blockOf("text")}`, "gs");
function blocks(page, html) {
  let command = null;
  return html.replace(COMMAND_AND_OUTPUT, (all, sh, text) => {
    const runs = withOutput(plain(sh));
    return runs ? keep(live({ ...runs, text: plain(text) })) : all;
  }).replace(BLOCK, (all, language, meta, code) => block(page, language || "", plain(meta || ""), plain(code)));
}
// One command, and after it a block of what it prints.
function withOutput(sh) {
  const lines = sh.replace(/\\\n\s*/g, "").trimEnd().split("\n");
  return lines.length === 1 && command(lines[0]);
}
const kept = [];
function keep(html) { kept.push(html); return `<!--kept ${kept.length - 1}-->`; }
function restored(html) { return html.replace(/<!--kept (\d+)-->/g, (all, n) => kept[n]); }

function codesOf(html) {
  return [...html.matchAll(BLOCK)].map(([, language, , code]) => [language || "", plain(code)]);
}

function links(page, html) {
  return html.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (all, href, words) => {
    const to = target(plain(href), page.path);
    return to === null ? words : `<a href="${escape(to)}">${words}</a>`;
  });
}

function content(page, html) {
  html = restored(blocks(page, links(page, html)));
  html = html.replace(/<p><img src="figures\/([\w.-]+)\.png" alt="([^"]*)" \/><\/p>/g, (all, name, alt) =>
    figure(page, name, alt));
  html = html.replace(/<p><img src="(?:([\w./-]+)\/)figures\/([\w-]+)\.png" alt="([^"]*)" \/><\/p>/g,
    (all, folder, name, alt) => figure(pageOf.get(posix.join(dirname(page.path), folder, "README.md")), name, alt));
  return html.replace(/<table>/g, '<div class="table" tabindex="0"><table>').replace(/<\/table>/g, "</table></div>")
    .replace(/ align="(\w+)"/g, ' class="$1"').replace(/<th><\/th>/g, "<td></td>");
}

// Behind a chapter's text: the files of its exercises, and the answers to those for pencil and paper.
function behind(page, prefix = "", deeper = 0) {
  if (page.kind !== "chapter") return "";
  const folder = `chapters/${page.name}`;
  const files = readdirSync(folder).filter(name => /^exercise_\w+\.cu?$/.test(name)).sort();
  colour(files.map(name => [extname(name).slice(1), read(`${folder}/${name}`)]));
  const shown = files.map(name => {
    const code = read(`${folder}/${name}`), id = prefix + name.replace(/\..*/, "");
    return `<details class="file"><summary><code>${folder}/${name}</code></summary><div id="${id}" class="code">` +
      `${wide(extname(name).slice(1), code)}</div></details>`;
  });
  const path = `${folder}/ANSWERS.md`;
  if (existsSync(path)) {
    const html = content({ ...page, path }, markdown(path)).replace(/<h1>.*?<\/h1>/s, "");
    shown.push(`<details class="file"><summary>Answers</summary><div id="${prefix}answers">${html}</div></details>`);
  }
  const title = shown.length ? `<h${2 + deeper} id="${prefix}files">Files and answers</h${2 + deeper}>` : "";
  return title + shown.join("\n");
}

// ---- a page ---------------------------------------------------------------------------------------------------------

for (const page of pages) page.html = markdown(page.path);
colour(pages.flatMap(page => codesOf(page.html)));
for (const page of pages) {
  const { text, list } = headings(page.html, "", 0);
  page.body = content(page, text) + behind(page);
  page.list = list;
  page.title = plain(list[0].words);
  page.number = (page.title.match(/^(\d\d)\. /) || [])[1];
  page.called = page.title.replace(/^\d\d\. /, "");
}

function frame({ title, kind = "", up = "", head = "", body, name = "", sheet = null }) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
${sheet ? `<style>${sheet}</style>` : `<link rel="stylesheet" href="${up}book.css">
<script>try { const s = localStorage.getItem("scheme"); if (s) document.documentElement.dataset.scheme =
  s } catch {}</script>
<script src="${up}page.js" defer></script>`}
</head>
<body class="${kind}"${name ? ` data-page="${name}"` : ""}>
<a class="skip" href="#text">To the text</a>
${head}
<main id="text">
${body}
</main>
</body>
</html>
`;
}

// The parts of the book, as its README has them: [title, pages].
function parts() {
  const list = [], front = pages[0];
  const partOrPage = /<strong>(Part [^<]*)<\/strong>|<a href="(chapters\/[^"]*\.md)">/g;
  for (const [, part, path] of front.html.matchAll(partOrPage))
    if (part) list.push([part, []]);
    else if (list.length && pageOf.has(path) && !list.some(([, within]) =>
      within.includes(pageOf.get(path)))) list.at(-1)[1].push(pageOf.get(path));
  return [...list, ["Besides", order.filter(page => page.kind === "appendix")]];
}

const called = page => page.kind === "front" ? "Contents" : page.number ? `${page.number} ${page.called}` : page.called;
const order = pages.filter(page => page.kind !== "aside");

function ways(page) {
  const at = order.indexOf(page), before = order[at - 1], after = at >= 0 ? order[at + 1] : null;
  const way = (to, rel, key) => to ? `<a rel="${rel}" href="${to.name}.html" title="${key}">` +
    `<span>${rel === "prev" ? "Before" : "Next"}</span> ${called(to)}</a>` : "<span></span>";
  return `<nav class="ways" aria-label="Chapters">${way(before, "prev", "←")}${way(after, "next", "→")}</nav>`;
}

function top(page, up = "") {
  const entry = other => `<li${other === page ? ' aria-current="page"' : ""}><a href="${up}${other.name}.html">` +
    `${other.number ? `<b>${other.number}</b> ` : ""}${other.called}</a></li>`;
  const list = parts().map(([title, within]) =>
    `<li><span>${title}</span><ol>\n${within.map(entry).join("\n")}</ol></li>`).join("\n");
  return `<header class="top"><a class="book" href="${up}index.html">manyheads</a>
<details class="chapters"><summary>Chapters</summary><nav aria-label="The book"><ol>
${list}
</ol></nav></details><span class="tools"></span></header>`;
}

function here(page) {
  const list = page.list.filter(heading => heading.level === 2);
  if (list.length < 3 || page.name === "viewer") return "";
  return `<nav class="here" aria-label="This page"><ol>` + list.map(({ id, words }) =>
    `<li><a href="#${id}">${words.replace(/<\/?a[^>]*>/g, "").replace(/^(\d+)\. /, "<b>$1</b> ")}</a></li>`).join("") +
      "</ol></nav>";
}

function titled(page, html) {
  return html.replace(/(<h\d id="[^"]*">)(\d\d)\. /, '$1<span class="number">$2</span> ');
}

const PDF = process.env.PDF ? ', and to print: <a href="book.pdf">book.pdf</a>' : "";
const book = `<p class="whole">The whole book in one piece: <a href="book.html">book.html</a>${PDF}.</p>`;
for (const page of pages) {
  const viewer = page.name === "viewer" ? `<div id="stage"><canvas aria-label="The viewer"></canvas></div>` : "";
  let body = titled(page, page.body);
  if (page.kind === "front") body = body.replace(/(<h2 id="the-chapters">)/, `${book}\n$1`);
  if (viewer) body = body.replace(/(<\/h1>)/, `$1\n${viewer}`);
  writeFileSync(join(TO, `${page.name}.html`), frame({
    title: page.kind === "front" ? "manyheads" : `${page.title} · manyheads`, kind: page.kind, name: page.name,
    head: top(page) + here(page), body: `<article>\n${body}\n</article>\n${ways(page)}`,
  }));
}

// ---- the sheet: the book's colours, its letters, book.css

const COLOURS = read("lib/figure/color.c");
function colours(scheme, suffix) {
  const found = COLOURS.match(new RegExp(`\\[${scheme}\\] = \\{(.*?)\\.series`, "s"))[1];
  return [...found.matchAll(/\.(\w+) = \{ 0x(\w\w), 0x(\w\w), 0x(\w\w) \}/g)]
    .map(([, name, r, g, b]) => `--${name}-${suffix}:#${r}${g}${b}`).join(";");
}
const sheet = `:root{${colours("COLOR_ON_PAPER", "light")};${colours("COLOR_ON_DARK", "dark")}}\n` +
  (existsSync(join(WORK, "fonts.css")) ? read(join(WORK, "fonts.css")) : "") + read("viz/web/book.css");
writeFileSync(join(TO, "book.css"), sheet);
writeFileSync(join(TO, "page.js"), read("viz/web/page.js"));

// ---- sources --------------------------------------------------------------------------------------------------------

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().map(name => join(path, name)).filter(name => statSync(name).isFile() && isText(name));
}
const shownSources = [...sources.keys()];
colour(shownSources.flatMap(filesIn).map(path => [extname(path).slice(1), read(path)]));
for (const path of shownSources) {
  const up = "../".repeat(path.split("/").length), folder = statSync(path).isDirectory();
  const parts = filesIn(path).map(file => {
    const lines = inColour(extname(file).slice(1), read(file)).split("\n");
    const code = lines.map((line, n) => sources.get(path).has(n + 1) ? `<b id="L${n + 1}"></b>${line}` :
      line).join("\n");
    return (folder ? `<h2>${basename(file)}</h2>` : "") + `<pre class="source" tabindex="0"><code>${code}</code></pre>`;
  });
  const file = join(TO, "source", path + ".html");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, frame({ title: `${path} · manyheads`, kind: "source", up,
    head: `<header class="top"><a class="book" href="${up}index.html">manyheads</a>` +
      '<span class="tools"></span></header>',
    body: `<h1><code>${path}</code></h1>\n${parts.join("\n")}` }));
}

// ---- the book in one piece ------------------------------------------------------------------------------------------

function inOnePiece(print) {
  const within = order.map(page => page.name);
  const texts = order.map(page => {
    const prefix = page.name + ".";
    const { text } = headings(page.html, prefix, page.kind === "front" ? 0 : 1);
    let html = titled(page, content(page, text) + behind(page, prefix, 1));
    html = html.replace(/href="([\w]+)\.html(?:#([^"]*))?"/g, (all, name, hash) =>
      within.includes(name) ? `href="#${hash ? name + "." + hash : name}"` : all);
    if (print) html = html.replace(/<a [^>]*href="(?:source\/|fuzzing)[^"]*"[^>]*>(.*?)<\/a>/gs, "$1")
      .replace(/src="[^"]*" data-pack="([^"]*)"/g, 'src="figures/$1.svg"')
      .replace(/ loading="lazy" decoding="async"/g, "").replace(/<details class="file">/g,
        '<details class="file" open>');
    return `<section id="${page.name}" class="${page.kind}">\n${html}\n</section>`;
  });
  const entry = page => `<li><a href="#${page.name}"><b>${page.number || ""}</b> <span>${page.called}</span>` +
    '<span class="page"></span></a></li>';
  const list = parts().map(([title, within]) =>
    `<h3>${title}</h3>\n<ol>\n${within.map(entry).join("\n")}\n</ol>`).join("\n");
  const contents = `<nav class="whole" aria-label="Contents"><h2>Contents</h2>\n${list}</nav>`;
  const [first, ...rest] = texts;
  return frame({ title: "manyheads", kind: "one", sheet: print ? sheet : null, head: print ? "" : top({}),
    body: `${contents}\n${first}\n${rest.join("\n")}`
      .replace(/^(<nav.*?<\/nav>)\n(<section[^>]*>\s*<h1.*?<\/h1>)/s, "$2\n$1") });
}
writeFileSync(join(TO, "book.html"), inOnePiece(false));
writeFileSync(join(WORK, "print.html"), inOnePiece(true));

// ---- the figures, packed --------------------------------------------------------------------------------------------

mkdirSync(join(TO, "figures"), { recursive: true });
for (const [group, files] of packs)
  writeFileSync(join(TO, "figures", group + ".js"), Buffer.concat([Buffer.from(`book.figures["${group}"] = "`),
    execFileSync(process.execPath, ["viz/web/letters.mjs"],
      { input: gzipSync(JSON.stringify(files), { level: 9 }), maxBuffer: 1 << 26 }), Buffer.from('";\n')]));
