// What a page of the book can do: run its programs where their output stands, say what differs, ask for numbers, draw
// figures anew, open a run in the viewer. run.js runs the programs, viewer.js is the viewer; without them it is a text.
"use strict";

(() => {

const book = window.book = window.book || {};
const root = document.documentElement, page = document.body.dataset.page || "";
const UP = document.currentScript.src.replace(/[^/]*$/, "");
const all = (selector, under = document) => [...under.querySelectorAll(selector)];
const dark = () => root.dataset.scheme ? root.dataset.scheme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;

function made(name, attributes = {}, ...within) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key in element && key !== "list" && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value);
  element.append(...within);
  return element;
}
const button = (words, react, attributes = {}) => made("button", { type: "button", onclick: react, ...attributes },
  words);

const scripts = {};
function script(name, charset = "utf-8") {
  return scripts[name] = scripts[name] || new Promise((done, failed) => document.head.append(
    made("script", { src: UP + name, charset, onload: () => done(), onerror: () =>
      failed(new Error(`${name} is missing beside this page.`)) })));
}

// ---- words of a command, parts of an output -------------------------------------------------------------------------

// As a shell takes a line apart: quotes keep spaces, a backslash the next letter.
function words(line) {
  const list = [];
  let word = null, quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote) { if (c === quote) quote = ""; else word += c; }
    else if (c === '"' || c === "'") { quote = c; word = word || ""; }
    else if (c === "\\" && i + 1 < line.length) word = (word || "") + line[++i];
    else if (/\s/.test(c)) { if (word !== null) list.push(word); word = null; }
    else word = (word || "") + c;
  }
  if (word !== null) list.push(word);
  return list;
}

// What a program prints in the steps `from` to `to`, as tests/text/text.c takes it: from their first line to their last
// that is not empty. A line that does not begin with a space begins a step, or ends one.
function steps(text, from, to) {
  const lines = text.split("\n");
  let step = 0, first = -1, last = -1;
  lines.forEach((line, n) => {
    if (line && line[0] !== " ") step = Number((line.match(/^(\d+)\.  /) || [0, 0])[1]);
    if (!line || step < from || step > to) return;
    if (first < 0) first = n;
    last = n;
  });
  return first < 0 ? "" : lines.slice(first, last + 1).join("\n");
}

// The longest common subsequence of two lists: [what is only here, what is only there, or both], in order.
function aligned(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1)), list = [];
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) list.push([a[i++], b[j++]]);
    else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) list.push([a[i++], null]);
    else list.push([null, b[j++]]);
  }
  return list;
}

// A line that stands in the text otherwise: what is new in it is marked once more.
function changed(line, before) {
  const mark = made("mark", { title: before ? "in the text: " + before.trim() : "not in the text" });
  const cut = text => text.match(/\s+|[^\s]+/g) || [];
  if (!before) { mark.append(line); return mark; }
  for (const [old, now] of aligned(cut(before), cut(line)))
    if (now !== null) mark.append(old === null && now.trim() ? made("b", {}, now) : now);
  return mark;
}

// The new text, line by line beside the old one. Returns its nodes and how many lines differ.
function compared(old, now, both) {
  const nodes = [], pairs = aligned(old.split("\n"), now.split("\n"));
  let count = 0, gone = [], come = [];
  const settle = () => {
    come.forEach((line, n) => {
      if (both && n < gone.length) nodes.push(made("del", {}, gone[n] || " "));
      nodes.push(changed(line || " ", gone[n]));
    });
    if (both) gone.slice(come.length).forEach(line => nodes.push(made("del", {}, line || " ")));
    count += Math.max(come.length, gone.length);
    gone = [];
    come = [];
  };
  for (const [before, after] of pairs) {
    if (before !== null && after !== null) { settle(); nodes.push(after + "\n"); }
    else if (before !== null) gone.push(before);
    else come.push(after);
  }
  settle();
  if (typeof nodes.at(-1) === "string") nodes[nodes.length - 1] = nodes.at(-1).replace(/\n$/, "");
  return { nodes, count };
}

// ---- runs -----------------------------------------------------------------------------------------------------------

const finished = new Map();                          // what a command printed, for the other blocks of the page

// Runs a program: `heard` gets what it has printed so far. Resolves to { text, wrong, status, files }.
function run(program, flags, heard = () => {}, progress = () => {}) {
  let stop = () => {}, stopped = false;
  const result = script("run.js").then(() => new Promise(done => {
    if (stopped) return done({ parts: [], status: null, files: {} });
    const parts = [];
    const running = book.run(program, flags, {
      files: {},
      output(text, isError) {
        if (parts.length && parts.at(-1).wrong === !!isError) parts.at(-1).text += text;
        else parts.push({ text, wrong: !!isError });
        heard(parts);
      },
      progress,
      done(status, files) { done({ parts, status, files: files || {} }); },
    });
    stop = () => { running.stop(); done({ parts, status: null, files: {} }); };
  }));
  return { result, stop() { stopped = true; stop(); } };
}
const printed = parts => parts.filter(part => !part.wrong).map(part => part.text).join("");

// ---- a block of output ----------------------------------------------------------------------------------------------

function alive(block) {
  const { program, flags = "", from = "0", to = "0" } = block.dataset;
  const call = block.querySelector(".command"), folder = call.textContent.split(program)[0];
  const bare = block.classList.contains("bare");
  let pre = block.querySelector("pre"), running = null, last = null, both = false;
  if (!pre) pre = made("pre", { tabindex: "0", hidden: true });
  const text = bare ? null : pre.textContent;

  const input = made("input", { name: "flags", value: flags, placeholder: "flags; --help lists them",
    spellcheck: "false",
    autocomplete: "off", autocapitalize: "off", "aria-label": `flags of ${program}` });
  const start = made("button", { type: "submit", class: "start" }, "Run");
  const stop = button("Stop", () => running && running.stop(), { hidden: true, class: "stop" });
  const reset = button("Reset", restore, { hidden: true, class: "reset" });
  const old = button("Both", () => { both = !both; old.setAttribute("aria-pressed", both); show(); },
    { hidden: true, "aria-pressed": "false", title: "the text's own lines, too" });
  const view = button("Viewer", () => look(), { class: "view", title: "open this run in the viewer" });
  const does = made("span", { class: "does" }, start, stop, old, reset, ...(program === "attend" ? [] : [view]));
  const form = made("form", { class: "command", onsubmit: event => { event.preventDefault(); go(); } },
    made("label", {}, made("code", {}, folder + program), input), does);
  const bar = made("progress", { max: 1, hidden: true, "aria-label": "how far the run is" });
  const said = made("p", { class: "said", role: "status" });
  call.replaceWith(form);
  if (!pre.parentNode) block.append(pre);
  pre.before(bar);
  block.append(said);

  const say = (words, same = false) => { said.textContent = words; said.classList.toggle("same", same); };
  const isChanged = () => words(input.value).join("\0") !== words(flags).join("\0");
  input.addEventListener("input", () => { reset.hidden = !isChanged() && !last; });
  input.addEventListener("keydown", event => {
    if (event.key === "Escape") { event.preventDefault(); if (running) running.stop(); else restore(); }
  });

  // What of a run belongs here: the steps that the text shows, or all, where there are none of them.
  function part(parts) {
    const chosen = bare ? "" : steps(printed(parts), Number(from), Number(to));
    return chosen || null;
  }
  function plainly(parts) {
    pre.replaceChildren(...parts.map(({ text, wrong }) => wrong ? made("span", { class: "wrong" }, text) : text));
    pre.hidden = false;
  }
  function show() {
    if (!last) return;
    const { parts, status } = last, chosen = part(parts);
    const end = status === null ? "Stopped. " : status ? `Ended with ${status}. ` : "";
    if (chosen === null || status) {
      plainly(parts);
      if (bare && !status) stepByStep(printed(parts), end);
      else say(end + (chosen === null && !status && !bare ? "This run prints no such step; here is all of it." : ""));
      old.hidden = true;
      return;
    }
    const { nodes, count } = compared(text, chosen, both);
    pre.replaceChildren(...nodes);
    old.hidden = !count;
    say(end + (count ? `${count} ${count === 1 ? "line differs" : "lines differ"} from the text.`
      : status === null ? "" : "The same as in the text, to the byte."), !count && status === 0);
  }

  // A whole run beside the blocks of this page that show its steps.
  function stepByStep(output, end) {
    const own = all(`.live[data-program="${program}"]`).filter(other => other.text && !other.dataset.flags);
    const differ = own.filter(({ dataset, text }) => steps(output, Number(dataset.from), Number(dataset.to)) !== text);
    if (!own.length || last.status === null) return say(end);
    say(end + (differ.length ? "Not as in the text: step " + differ.map(({ dataset }) => dataset.from).join(", ") + "."
      : "Every step as in the text, to the byte."), !differ.length);
    let done = output, nodes = [];
    for (const { dataset, text } of differ) {
      const chosen = steps(done, Number(dataset.from), Number(dataset.to)), at = chosen ? done.indexOf(chosen) : -1;
      if (at < 0) continue;
      nodes.push(done.slice(0, at), ...compared(text, chosen, false).nodes);
      done = done.slice(at + chosen.length);
    }
    pre.replaceChildren(...nodes, done);
  }

  function busy(on) {
    start.hidden = on;
    stop.hidden = !on;
    bar.hidden = true;
    block.toggleAttribute("aria-busy", on);
  }

  async function go(options = {}) {
    if (running) running.stop();
    if (program !== "attend" && words(input.value).includes("--view")) return look();
    if (words(input.value).includes("--ask")) { restore(); return setAsking(true); }
    unasked();
    const given = words(input.value), key = [program, ...given].join("\0"), again = block.ran === key;
    let due = 0;
    busy(true);
    say("Running …");
    const begun = performance.now();
    const mine = running = !again && finished.has(key) ? { result: Promise.resolve(finished.get(key)), stop() {} }
      : run(program, given, parts => {
        if (due) return;
        due = setTimeout(() => {
          due = 0;
          if (running !== mine) return;
          const chosen = part(parts);
          if (bare) plainly(parts);
          else if (chosen !== null) pre.textContent = chosen;
        }, 60);
      }, line => {
        const share = line.match(/(\d+(?:\.\d+)?) ?%/) || line.match(/(\d+) (?:of|\/) (\d+)/);
        bar.hidden = !share;
        if (share) bar.value = share[2] ? share[1] / share[2] : share[1] / 100;
        say(line.replace(/\s*\[[#.]*\]/, ":").trim() || "Running …");
      });
    let result;
    try { result = await mine.result; } catch (error) { result = { parts: [{ text: error.message, wrong: true }],
      status: 1, files: {} }; }
    clearTimeout(due);
    if (running !== mine) return;
    running = null;
    busy(false);
    last = result;
    block.ran = key;
    if (result.status !== null) finished.set(key, result);
    reset.hidden = false;
    show();
    offer(result.files);
    if (result.status === 0 && options.figures !== false) await figures(program, given, isChanged(),
      performance.now() - begun);
  }

  function restore() {
    if (running) running.stop();
    running = last = null;
    block.ran = "";
    busy(false);
    input.value = flags;
    both = false;
    old.setAttribute("aria-pressed", false);
    old.hidden = reset.hidden = true;
    if (bare) { pre.hidden = true; pre.textContent = ""; } else pre.textContent = text;
    say("");
    figuresBack(program);
  }

  // Files that the flags asked for, to be saved.
  function offer(files) {
    for (const [path, bytes] of Object.entries(files)) {
      const name = path.replace(/^out\//, ""), link = made("a", { href: URL.createObjectURL(new Blob([bytes])),
        download: name }, name);
      said.append(" ", link);
    }
  }

  async function look() {
    if (running) running.stop();
    unasked();
    busy(true);
    say("Running …");
    const given = words(input.value).filter(word => word !== "--view"), file = `${program}.safetensors`;
    const mine = running = run(program, [...given, "--dump", file]);
    const result = await mine.result.catch(error => ({ parts: [{ text: error.message, wrong: true }], status: 1,
      files: {} }));
    if (running !== mine) return;
    running = null;
    busy(false);
    const bytes = result.files[file];
    say(result.status === null ? "Stopped." : "");
    if (bytes) return opened({ name: file, bytes }, [folder + program, ...given].join(" "));
    if (result.status !== null) { plainly(result.parts); reset.hidden = false; last = result; }
  }

  Object.assign(block, { text, input, go, restore });
}

// ---- figures as they came with the page, packed by pages.mjs --------------------------------------------------------

async function unpacked(group) {
  await script(`figures/${group}.js`, "x-user-defined");       // a letter for each byte (letters.mjs)
  const packed = Uint8Array.from(book.figures[group], letter => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function pictures() {
  const images = all("img[data-pack]"), groups = new Set(images.map(image => image.dataset.pack.split("/")[0]));
  book.figures = {};
  for (const group of groups) {
    const files = await unpacked(group);
    for (const image of images) {
      const [from, name] = image.dataset.pack.split("/");
      if (from !== group) continue;
      image.src = image.closest("a").href = URL.createObjectURL(new Blob([files[name]], { type: "image/svg+xml" }));
    }
  }
}

// ---- figures that are drawn anew ------------------------------------------------------------------------------------

let anew = null;                                     // the run that drew those of this page
const ours = program => all("figure[data-figure]").filter(figure =>
  figure.querySelector("img").dataset.pack.startsWith(program + "/"));

function figuresBack(program) {
  if (!anew || anew.program !== program) return;
  anew = null;
  ours(program).forEach(asPrinted);
}
function asPrinted(figure) {
  const image = figure.querySelector("img");
  if (image.first) image.src = figure.querySelector("a").href = image.first;
  remark(figure, "", "");
}
function remark(figure, words, kind) {
  figure.classList.remove("anew", "gone");
  all(".remark", figure).forEach(old => old.remove());
  if (!kind) return;
  figure.classList.add(kind);
  figure.querySelector("figcaption").append(made("span", { class: "remark" }, words));
}
// FNV-1a, as pages.mjs has it.
const hash = bytes => bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 16777619) >>> 0, 2166136261).toString(36);

async function figures(program, given, differ, took) {
  const SLOW = 8000;
  if (!differ || !ours(program).length || took > SLOW || given.some(word =>
    /^--(only|help|figures|format|dump)$/.test(word))) {
    if (!differ) figuresBack(program);
    return;
  }
  const mine = anew = { program, given };
  const { status, files } = await run(program, [...given, "--figures", "out", "--format", "svg",
    ...(dark() ? ["--dark"] : [])]).result;
  if (anew !== mine || status !== 0) return;
  for (const figure of ours(program)) {
    const bytes = files[`out/${figure.dataset.figure}.svg`], image = figure.querySelector("img");
    if (!bytes) { asPrinted(figure); remark(figure, `not drawn by ${given.join(" ")}`, "gone"); continue; }
    if (figure.dataset.drawn.split(" ").includes(hash(bytes))) { asPrinted(figure); continue; }
    image.first = image.first || image.getAttribute("src");
    image.src = figure.querySelector("a").href = URL.createObjectURL(new Blob([bytes], { type: "image/svg+xml" }));
    image.removeAttribute("width");
    image.removeAttribute("height");
    remark(figure, `drawn anew: ${given.join(" ")}`, "anew");
  }
}

// ---- the viewer -----------------------------------------------------------------------------------------------------

async function opened(file, command) {
  const canvas = made("canvas", { "aria-label": "the viewer" });
  const close = button("Close", () => dialog.close());
  const dialog = made("dialog", { "aria-label": "The viewer" }, made("header", {}, made("code", {}, command), close),
    canvas);
  document.body.append(dialog);
  dialog.showModal();
  let viewer = null;
  dialog.addEventListener("close", () => { if (viewer) viewer.close(); dialog.remove(); });
  await script("viewer.js");
  viewer = book.viewer(canvas, { file, args: dark() ? ["--dark"] : [] });
  canvas.focus();
}

// ---- Ask: numbers are hidden until they are guessed -----------------------------------------------------------------

const NUMBER = /(?<![\w.])[-−]?\d+\.\d+(?![\w.])/g;
let asking = false, askedCount = 0, nearCount = 0;

// Of each table one number that is worth asking for, as --ask has it: not 0, not 1; and no more than the block has.
function picks(text) {
  const list = [];
  let at = 0;
  for (const paragraph of text.split(/\n\n/)) {
    const table = /\(\d+ × \d+\)/.test(paragraph.split("\n")[0]), found = [...paragraph.matchAll(NUMBER)]
      .filter(([digits]) => Number(digits.replace("−", "-")) % 1 !== 0);
    if (table && found.length > 1) {
      const chosen = found[Math.floor(Math.random() * found.length)];
      list.push({ at: at + chosen.index, digits: chosen[0] });
    }
    at += paragraph.length + 2;
  }
  return list;
}

function sectionOf(block) {
  const list = [];
  for (let next = block.nextElementSibling; next && !/^H[1-3]$/.test(next.tagName); next = next.nextElementSibling)
    if (/^(P|UL|OL|FIGURE|DIV)$/.test(next.tagName) && !next.classList.contains("live")) list.push(next);
  return list;
}

// The number stands hidden elsewhere, too, until it has been guessed.
function hide(node, digits) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  for (const text of found) {
    let at;
    const alone = new RegExp(`(?<![\\w.])${digits.replace(/[.]/g, "\\.")}(?![\\w]|\\.\\d)`);
    let rest = text;
    while ((at = rest.data.search(alone)) >= 0) {
      const number = rest.splitText(at);
      rest = number.splitText(digits.length);
      const cover = made("span", { class: "hidden-number", "aria-label": "hidden" }, "?".padStart(digits.length));
      cover.digits = digits;
      number.replaceWith(cover);
    }
  }
}
const uncover = (digits, under) => all(".hidden-number", under).filter(cover => cover.digits === digits)
  .forEach(cover => { const parent = cover.parentNode; cover.replaceWith(digits); parent.normalize(); });

function ask(block) {
  if (!block.text) return;
  const pre = block.querySelector("pre"), text = pre.textContent, chosen = picks(text);
  const said = block.querySelector(".said");
  if (!chosen.length || pre.querySelector("mark")) return;
  const nodes = [];
  let from = 0;
  for (const pick of chosen) {
    const input = made("input", { inputmode: "decimal", autocomplete: "off", placeholder: "?",
      "aria-label": `What stands for the ?, ${row(text, pick.at)}` });
    const guess = made("span", { class: "guess", style: `width:${pick.digits.length}ch` }, input);
    nodes.push(text.slice(from, pick.at), guess);
    from = pick.at + pick.digits.length;
    input.addEventListener("keydown", event => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const number = words => Number(words.replace("−", "-"));
      const value = number(pick.digits), tried = number(input.value.replace(",", "."));
      const places = pick.digits.split(".")[1].length, least = 0.5 * 10 ** -places, off = Math.abs(tried - value);
      const given = input.value.trim() !== "" && Number.isFinite(tried);
      const near = given && off <= Math.max(0.1 * Math.abs(value), least);
      askedCount++;
      nearCount += near;
      guess.replaceWith(made("span", { class: "guessed" + (near ? " near" : "") }, pick.digits));
      [block, ...sectionOf(block)].forEach(part => uncover(pick.digits, part));
      said.textContent = `It is ${pick.digits}.` + (!given ? "" : off <= least ? " You said so." :
        ` You were off by ${off.toFixed(places)}.`)
        + ` ${nearCount} of ${askedCount} within a tenth so far.`;
      const next = all(".guess input").find(other => other.compareDocumentPosition(said) & 2 || block.contains(other));
      if (next) next.focus({ preventScroll: !block.contains(next) });
    });
  }
  pre.replaceChildren(...nodes, text.slice(from));
  for (const { digits } of chosen) [pre, ...sectionOf(block)].forEach(part => hide(part, digits));
}
function row(text, at) {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  return "row " + (line.trim().match(/^[^\d−-]*/) || [""])[0].trim();
}

function unasked() { if (asking) setAsking(false); }
function setAsking(on) {
  asking = on;
  askedCount = nearCount = 0;
  askButton.setAttribute("aria-pressed", on);
  if (on) all(".live").forEach(ask);
  else {
    all(".hidden-number").forEach(cover => uncover(cover.digits, document));
    all(".live").filter(block => block.text && block.querySelector(".guess, .guessed")).forEach(block =>
      block.restore());
  }
}
const askButton = button("Ask", () => setAsking(!asking), { "aria-pressed": "false",
  title: "hide a number of each table, and take a guess" });

// ---- the page -------------------------------------------------------------------------------------------------------

function scheme() {
  const words = () => dark() ? "Light" : "Dark";
  const change = button(words(), () => {
    root.dataset.scheme = dark() ? "light" : "dark";
    try { localStorage.setItem("scheme", root.dataset.scheme); } catch {}
    change.textContent = words();
    if (anew) figures(anew.program, anew.given, true, 0);
  }, { title: "the colours of this page" });
  return change;
}

// A flag that the text names can be tried by a click: the block under the list is run with it.
function tries() {
  const title = all("h2").find(heading => heading.textContent.trim() === "Try");
  const first = all(".live").find(block => block.dataset.program === page);
  if (!title || !first) return;
  let list = title.nextElementSibling;
  const codes = [];
  for (; list && list.tagName !== "H2"; list = list.nextElementSibling)
    codes.push(...all("code", list).filter(code => !code.closest(".live, pre, a") &&
      /^--?[a-z]/.test(code.textContent)));
  if (!codes.length) return;
  const block = made("div", { class: "live bare" });
  block.dataset.program = page;
  block.append(made("p", { class: "command" }, made("code", {}, `build/chapters/${page}`)));
  (list || title.parentNode.lastElementChild).before(block);
  alive(block);
  for (const code of codes) {
    const link = button("", () => {
      block.input.value = code.textContent;
      block.scrollIntoView({ block: "nearest" });
      block.go();
    }, { class: "try", title: "run this" });
    code.replaceWith(link);
    link.append(code);
  }
}

// A link into something folded unfolds it.
function unfold() {
  const aim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = aim && aim.closest("details");
  if (fold) { fold.open = true; aim.scrollIntoView(); }
}

const tools = document.querySelector(".tools");
if (tools) {
  all(".live").forEach(alive);
  tries();
  if (all(".live").some(block => block.text)) tools.append(askButton);
  tools.append(scheme());
}
pictures();
addEventListener("hashchange", unfold);
unfold();

const here = all(".here a");
if (here.length) {
  const seen = new IntersectionObserver(() => {
    const aim = link => document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const passed = here.filter(link => aim(link).getBoundingClientRect().top < 160);
    here.forEach(link => link.parentNode.removeAttribute("aria-current"));
    if (passed.length) passed.at(-1).parentNode.setAttribute("aria-current", "true");
  }, { rootMargin: "-150px 0px -40% 0px" });
  all("h2").forEach(heading => seen.observe(heading));
}

addEventListener("keydown", event => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target !== document.body || !/^Arrow(Left|Right)$/.test(event.key)) return;
  const way = document.querySelector(`.ways a[rel=${event.key === "ArrowLeft" ? "prev" : "next"}]`);
  if (way) location.href = way.href;
});
addEventListener("click", event => {
  const list = document.querySelector(".top .chapters");
  if (list && list.open && !list.contains(event.target)) list.open = false;
});
addEventListener("keydown", event => {
  const list = document.querySelector(".top .chapters");
  if (event.key === "Escape" && list && list.open) { list.open = false; list.querySelector("summary").focus(); }
});

const stage = document.querySelector("#stage canvas");
if (stage) script("viewer.js").then(() => { book.viewing = book.viewer(stage, { args: dark() ? ["--dark"] : [] }); },
  error => stage.replaceWith(made("p", { class: "note" }, error.message)));

})();
