// One picture of two: node figures.mjs LIGHT DARK TO PROGRAM…
//
// LIGHT and DARK are folders of what these programs drew, as SVG, for paper and for a dark wall. TO gets each figure
// once: it has both colours, and shows those of the page that it stands in (prefers-color-scheme, which a picture takes
// from the page's color-scheme). What many elements have in common becomes a class, and cells of one colour one path:
// half the bytes. Where DARK is LIGHT, the pictures are for print: their hatching is lines, since a pattern would be
// pixels.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [LIGHT, DARK, TO, ...PROGRAMS] = process.argv.slice(2), PRINT = LIGHT === DARK;
const STYLES = new Set(["fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "opacity", "font-size",
  "font-weight", "font-style", "text-anchor", "stroke-linecap", "stroke-linejoin", "stroke-dasharray"]);
const IN_THE_DARK = "@media(prefers-color-scheme:dark)";

// ---- reading --------------------------------------------------------------------------------------------------------

// <name a="b" …>rest: each element of the book's SVG is a line, or begins one.
function element(line) {
  const found = line.match(/^<([A-Za-z]+)((?: [\w:-]+="[^"]*")*)(\/?>.*)$/s);
  if (!found) return null;
  const attributes = [...found[2].matchAll(/ ([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { name: found[1], attributes, rest: found[3] };
}
const styles = parts => parts.attributes.filter(([name]) => STYLES.has(name));
const others = parts => parts.attributes.filter(([name]) => !STYLES.has(name) && name !== "lengthAdjust");

// What a line is but for its style.
function shape(line) {
  const parts = element(line);
  return parts ? parts.name + JSON.stringify([others(parts), styles(parts).map(([name]) => name)]) + parts.rest : line;
}

// { x, y, w, h } of a rectangle that is nothing else, or null.
function cell(line) {
  const parts = element(line);
  if (!parts || parts.name !== "rect" || parts.rest !== "/>") return null;
  const given = others(parts);
  if (given.map(([name]) => name).join() !== "x,y,width,height") return null;
  const [x, y, w, h] = given.map(([, value]) => Number(value));
  return { x, y, w, h };
}

// ---- the looks of elements, as classes ------------------------------------------------------------------------------

const letters = "abcdefghijklmnopqrstuvwxyz";
const nameOf = n => (n >= 26 ? nameOf(Math.floor(n / 26) - 1) : "") + letters[n % 26];
const rule = (name, list) => `.${name}{${list.map(([n, v]) => `${n}:${v}${n === "font-size" ? "px" : ""}`).join(";")}}`;

class Looks {
  names = new Map();
  attribute(light, dark) {
    if (!light.length) return "";
    const key = JSON.stringify([light, dark]);
    if (light.length === 1 && key === JSON.stringify([light, light])) return ` ${light[0][0]}="${light[0][1]}"`;
    if (!this.names.has(key)) this.names.set(key, nameOf(this.names.size));
    return ` class="${this.names.get(key)}"`;
  }
  sheet() {
    let always = "", dark = "";
    for (const [key, name] of this.names) {
      const [one, other] = JSON.parse(key), changed = other.filter(([, value], n) => value !== one[n][1]);
      always += rule(name, one);
      if (changed.length) dark += rule(name, changed);
    }
    return always + (dark && `${IN_THE_DARK}{${dark}}`);
  }
}

// ---- writing --------------------------------------------------------------------------------------------------------

const short = value => String(Number(Number(value).toFixed(2)));
const shorter = value => /^-?\d+\.\d{3,}$/.test(value) ? short(value) : value;

function outline(cells) {
  let from = { x: 0, y: 0 };
  return cells.map((to, n) => {
    const move = n ? `m${short(to.x - from.x)} ${short(to.y - from.y)}` : `M${to.x} ${to.y}`;
    from = to;
    return `${move}h${to.w}v${to.h}h${-to.w}z`;
  }).join("").replace(/ -/g, "-");
}

// Hatching as lines x + y = 3 + 6 n, cut off at the cells: what the pattern of lib/figure/svg.c says.
let clips = 0;
function hatched(cells, looks, pattern) {
  const id = `hatch${clips++}`, right = Math.max(...cells.map(c => c.x + c.w)), bottom = Math.max(...cells.map(c =>
    c.y + c.h));
  const left = Math.min(...cells.map(c => c.x)), top = Math.min(...cells.map(c => c.y)), lines = [];
  for (let sum = Math.floor((left + top) / 6) * 6 + 3; sum < right + bottom; sum += 6) {
    const x0 = Math.max(left, sum - bottom), x1 = Math.min(right, sum - top);
    if (x1 > x0) lines.push(`M${short(x0)} ${short(sum - x0)}L${short(x1)} ${short(sum - x1)}`);
  }
  const [, fill, stroke] = pattern.match(/fill="(#\w+)".*stroke="(#\w+)"/), d = outline(cells);
  return `<clipPath id="${id}"><path d="${d}"/></clipPath><path fill="${fill}" d="${d}"/>` +
    `<path clip-path="url(#${id})" stroke="${stroke}" stroke-width="0.849" d="${lines.join("")}"/>`;
}

function drawn(line, other, looks) {
  const one = element(line);
  if (!one || one.name === "svg") return line;
  const given = others(one).map(([name, value]) => ` ${name}="${shorter(value)}"`).join("");
  return `<${one.name}${looks.attribute(styles(one), styles(element(other)))}${given}${one.rest}`;
}

const apart = (a, b) => a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
const allApart = cells => cells.length < 3000 && cells.every((a, n) => cells.slice(n + 1).every(b => apart(a, b)));

// Cells that follow each other: those that look the same in one path. Where some overlap, the order stays.
function cellsDrawn(run, looks, pattern) {
  const list = [], places = new Map(), free = allApart(run.map(({ cell }) => cell));
  for (const { cell, light, dark } of run) {
    const look = looks.attribute(styles(element(light)), styles(element(dark)));
    const last = list.at(-1), same = free ? places.get(look) : last && last.look === look ? last : null;
    if (same) same.cells.push(cell);
    else { list.push({ look, cells: [cell] }); places.set(look, list.at(-1)); }
  }
  return list.map(({ look, cells }) => PRINT && look.includes("url(#masked)") ? hatched(cells, looks, pattern)
    : `<path${look} d="${outline(cells)}"/>`);
}

// Lines of both pictures, in pairs.
function lines(pairs, looks) {
  const to = [], pattern = (pairs.find(([line]) => line.startsWith("<pattern")) || [""])[0];
  for (let n = 0; n < pairs.length;) {
    const run = [];
    for (let found; n < pairs.length && (found = cell(pairs[n][0])); n++)
      run.push({ cell: found, light: pairs[n][0], dark: pairs[n][1] });
    if (run.length) to.push(...cellsDrawn(run, looks, pattern));
    else { to.push(drawn(...pairs[n], looks)); n++; }
  }
  return to;
}

// ---- two pictures ---------------------------------------------------------------------------------------------------

// The lines that two pictures share, in order: pairs of places, by the longest common subsequence of their shapes.
function shared(a, b) {
  const pairs = [], ends = [];
  let from = 0, i = a.length, j = b.length;
  while (from < a.length && from < b.length && a[from] === b[from]) pairs.push([from, from++]);
  while (i > from && j > from && a[i - 1] === b[j - 1]) ends.unshift([--i, --j]);
  const n = i - from, m = j - from, table = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let y = n - 1; y >= 0; y--)
    for (let x = m - 1; x >= 0; x--)
      table[y][x] = a[from + y] === b[from + x] ? table[y + 1][x + 1] + 1 : Math.max(table[y + 1][x], table[y][x + 1]);
  for (let y = 0, x = 0; y < n && x < m;) {
    if (a[from + y] === b[from + x]) pairs.push([from + y++, from + x++]);
    else if (table[y + 1][x] >= table[y][x + 1]) y++;
    else x++;
  }
  return [...pairs, ...ends];
}

// Where the pictures differ in more than colours (a bar of colours is an image), both stand there, and one is shown.
function either(light, dark, looks) {
  const group = (name, list) => list.length ? [`<g class="${name}">`, ...lines(list.map(l => [l, l]), looks), "</g>"] :
    [];
  const renamed = dark.map(line => line.replace(/ id="/g, ' id="dark-').replace(/url\(#(?=clip)/g, "url(#dark-"));
  return [...group("light", light), ...group("dark", renamed)];
}

const opens = line => /^<\/?(g|defs|clipPath)\b/.test(line) && !/^<clipPath.*<\/clipPath>$/.test(line);

function both(light, dark) {
  light = light.trimEnd().split("\n");
  dark = dark.trimEnd().split("\n");
  let pairs = shared(light.map(shape), dark.map(shape)), i = 0, j = 0, whole = false;
  const end = [light.length, dark.length], looks = new Looks(), to = [];
  for (const [y, x] of [...pairs, end]) {
    whole = whole || light.slice(i, y).some(opens) || dark.slice(j, x).some(opens);
    [i, j] = [y + 1, x + 1];
  }
  if (whole) pairs = [[0, 0], [light.length - 1, dark.length - 1]];
  let alike = [];
  i = j = 0;
  for (const [y, x] of [...pairs, end]) {
    if (y > i || x > j) {
      to.push(...lines(alike, looks), ...either(light.slice(i, y), dark.slice(j, x), looks));
      alike = [];
    }
    if (y < light.length) alike.push([light[y], dark[x]]);
    [i, j] = [y + 1, x + 1];
  }
  to.push(...lines(alike, looks));
  const split = to.includes('<g class="dark">') || to.includes('<g class="light">');
  const hiding = split ? `.dark{display:none}${IN_THE_DARK}{.light{display:none}.dark{display:inline}}` : "";
  to.splice(1, 0, `<style>${looks.sheet()}${hiding}</style>`);
  return to.join("\n") + "\n";
}

function walk(folder, under = "") {
  return readdirSync(join(folder, under)).flatMap(name => {
    const path = join(under, name);
    return statSync(join(folder, path)).isDirectory() ? walk(folder, path) : path.endsWith(".svg") ? [path] : [];
  });
}

for (const path of PROGRAMS.flatMap(program => walk(LIGHT, program))) {
  mkdirSync(dirname(join(TO, path)), { recursive: true });
  writeFileSync(join(TO, path), both(readFileSync(join(LIGHT, path), "utf8"), readFileSync(join(DARK, path), "utf8")));
}
