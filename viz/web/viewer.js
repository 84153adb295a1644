// The viewer in a page: book.viewer(canvas, …). What the browser tells becomes calls of shell.c; the picture that comes
// back is put on the canvas as it is. Nothing is drawn here, and nothing is fetched.
"use strict";

(() => {

const book = window.book = window.book || {};
book.programs = book.programs || {};

const FOLDER = document.currentScript ? document.currentScript.src.replace(/[^/]*$/, "") : "";
const MOST_BYTES = 768 << 20;                        // of what is opened at a time: it stands in memory twice
const MOST_TEXT = 1 << 16;                          // of what is pasted: a line has room for less
const MAPS = /\.(npy|safetensors)$/i, WORDS = /\.(json|txt)$/i;

// ---- the program ----------------------------------------------------------------------------------------------------

// run.js knows how programs and files are packed.
function withRun() {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    if (book.unpack) return done();
    script.src = FOLDER + "run.js";
    script.onload = done;
    script.onerror = () => failed(new Error("run.js is missing beside this page"));
    document.head.append(script);
  });
}

let kept;                                            // once a page: the compiled module, and the files that it needs

function unpack() {
  return kept = kept || (async () => {
    await withRun();
    const program = book.load("viewer").then(async () => {
      const { glue, wasm } = book.programs.viewer;
      const [script, code] = await Promise.all([book.unpack(glue), book.unpack(wasm)]);
      const make = new Function(new TextDecoder().decode(script) + "; return program;");
      return { program: make(), module: await WebAssembly.compile(code) };
    });
    const [made, data, fonts] = await Promise.all([program, book.filesOf("data"), book.filesOf("fonts")]);
    return { ...made, files: Object.entries({ ...data, ...fonts }) };
  })();
}

function put(FS, path, bytes) {
  const slash = path.lastIndexOf("/");
  if (slash > 0) FS.mkdirTree(path.slice(0, slash));
  FS.writeFile(path, bytes);
}

// An instance of its own for every viewer. What it writes for a terminal the picture says too, but for its last words.
async function instantiated(lastWords) {
  const { program, module, files } = await unpack();
  const instance = await program({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then(made => receive(made));
      return {};
    },
    print() {}, printErr: lastWords,
  });
  for (const [path, bytes] of files) put(instance.FS, path, bytes);
  const calls = {};
  for (const [name, gives, takes] of [
    ["open", "boolean", ["string"]], ["close"], ["why", "string"], ["show", "boolean", ["string"]],
    ["size", null, ["number", "number", "number"]], ["key", "boolean", ["string", "number"]],
    ["letter", "boolean", ["string", "boolean"]], ["mouse", null, ["number", "number", "number"]],
    ["wheel", null, ["number"]], ["paste", null, ["string"]], ["say", null, ["string"]],
    ["line", "number"], ["caret", "number"], ["selected", "boolean"], ["type", null, ["string", "number", "boolean"]],
    ["line_place", "number"], ["turn", "number", ["number", "number"]], ["command", "number"], ["copied", "string"],
    ["save", "string", ["number"]], ["quit", "boolean"], ["last_view", "boolean", ["boolean"]], ["dark", "boolean"],
    ["title", "string"],
    ["picture", "number"], ["width", "number"], ["height", "number"], ["words", "string"],
  ]) calls[name] = (...given) => instance.ccall("shell_" + name, gives || null, takes || [], given);
  return { instance, calls };
}

// ---- names that C has too -------------------------------------------------------------------------------------------

const [MOVE, LEAVE, PRESS, RELEASE, DOUBLE] = [2, 3, 4, 5, 6];                    // EventKind
const [SAVE_PNG, SAVE_PAGE, OPEN, FULL_SCREEN] = [1, 3, 4, 5];                    // Command; PictureKind is one less
const [CHANGED, DONE, PLAYS] = [1, 2, 4], [SHIFT, CTRL, ALT] = [1, 2, 4];

// With Ctrl the viewer has what it has a meaning for (Ctrl+E, F, O and arrows); all else is the browser's, as are its
// own zoom, quitting, and copying and pasting, which come as events of their own.
const KEYS = { ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down" };

book.viewer = function (canvas, { file = null, args = [], tokens = null } = {}) {
  let program, shell, FS, closed = false, waiting = [], frame = 0, changed = true, done = false, shownAt = 0;
  let shown = null, size = null, lastWords = "";

  // ---- elements: the field that is typed into, and what a screen reader says --------------------------------------

  const aside = document.createElement("div"), field = document.createElement("input");
  const spoken = document.createElement("div");
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  const hidden = "position:absolute;overflow:hidden;clip-path:inset(50%);white-space:nowrap;width:1px;height:1px";
  aside.style.cssText = "position:absolute;left:0;top:0";
  spoken.style.cssText = hidden;
  spoken.setAttribute("role", "status");
  spoken.id = "viewer-says-" + Math.random().toString(36).slice(2);
  field.setAttribute("aria-label", "the line that is typed");
  field.autocomplete = "off";
  field.maxLength = MOST_TEXT;
  field.spellcheck = false;
  field.setAttribute("autocapitalize", "off");
  field.tabIndex = -1;
  field.style.cssText = "position:absolute;opacity:0;pointer-events:none;border:0;padding:0;outline:0;display:none";
  aside.append(field, spoken);
  canvas.after(aside);
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-describedby", spoken.id);
  canvas.style.touchAction = "pan-y";

  // For who has fingers and no keys: what keys do otherwise.
  const bar = document.createElement("div");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Keys of the viewer");
  bar.style.cssText = "display:flex;flex:none;gap:4px;overflow-x:auto;padding:4px";
  for (const [name, does] of [["View", () => shell.key("Tab", 0)], ["‹", () => shell.key("Left", 0)],
                              ["›", () => shell.key("Right", 0)], ["Off", () => shell.letter("a", false)],
                              ["Scale", () => shell.letter("s", false)], ["Sort", () => shell.letter("o", false)],
                              ["Fit", () => shell.letter("f", false)], ["Back", () => shell.key("Escape", 0)],
                              ["Open", () => pick()], ["Save", () => shell.letter("e", false)]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.style.cssText = "flex:1 0 auto;min-width:40px;min-height:40px";
    button.addEventListener("click", () => event(does));
    bar.append(button);
  }
  if (matchMedia("(pointer: coarse)").matches) canvas.after(bar);

  const listened = [];
  function listen(target, name, react, options) {
    target.addEventListener(name, react, options);
    listened.push([target, name, react, options]);
  }

  // ---- pictures, and what is left to do between them ---------------------------------------------------------------

  function present() {
    const at = shell.picture(), width = shell.width(), height = shell.height();
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const { buffer } = program.HEAPU8;
    context.putImageData(new ImageData(new Uint8ClampedArray(buffer, at, 4 * width * height), width, height), 0, 0);
    changed = false;
    shownAt = performance.now();
  }


  function turn() {
    frame = 0;
    try {
      if (!closed) turned();
    } catch (error) {
      stopped(error);
    }
  }

  function turned() {
    const was = done, now = performance.now();
    const said = shell.turn(now / 1000, changed ? 0.002 : 0.01);
    done = Boolean(said & DONE);
    if (said & CHANGED || (!was && now - shownAt > 60)) changed = true;
    if (changed) present();
    if (!done || said & PLAYS) later();
    else speak();
  }

  function later() {
    if (!frame && !closed) frame = requestAnimationFrame(turn);
  }

  function event(call) {
    if (!shell || closed) return;
    try {
      call();
      follow();
    } catch (error) {
      return stopped(error);
    }
    changed = true;
    later();
  }

  // ---- what the viewer asks of the page ----------------------------------------------------------------------------

  function follow() {
    const command = shell.command();
    if (command >= SAVE_PNG && command <= SAVE_PAGE) save(command - SAVE_PNG);
    if (command === OPEN) pick();
    if (command === FULL_SCREEN) fullScreen();
    if (shell.quit()) leave();
    const label = `The viewer: ${shell.title()}. A question mark lists the keys.`;
    if (canvas.getAttribute("aria-label") !== label) canvas.setAttribute("aria-label", label);
    mirror();
  }

  function save(kind) {
    const name = shell.save(kind);
    if (!name) return;
    const types = { png: "image/png", svg: "image/svg+xml", html: "text/html" };
    const blob = new Blob([FS.readFile(name)], { type: types[name.replace(/.*\./, "")] });
    const link = document.createElement("a");
    FS.unlink(name);
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // With the field: what stands outside of what fills the screen cannot be typed into.
  function fullScreen() {
    const stage = document.createElement("div"), style = canvas.style.cssText;
    if (document.fullscreenElement) return document.exitFullscreen();
    if (!stage.requestFullscreen) return;
    const back = () => {
      if (document.fullscreenElement === stage) return;
      document.removeEventListener("fullscreenchange", back);
      stage.replaceWith(canvas, aside);
      canvas.style.cssText = style;
      if (!closed) focusThis();
    };
    canvas.before(stage);
    stage.append(canvas, aside);
    canvas.style.width = canvas.style.height = "100%";
    document.addEventListener("fullscreenchange", back);
    stage.requestFullscreen().then(focusThis, back);
  }

  // There is nothing to end but what the page has opened for it.
  function leave() {
    const dialog = canvas.closest("dialog");
    if (dialog) dialog.close();
    else document.activeElement.blur();
  }

  // ---- the line that is typed: the field has it while there is one, so that every way to type works ----------------

  const bytesOf = new TextEncoder(), textOf = new TextDecoder();
  let composing = false;

  function mirror() {
    const at = shell.line();
    if (!at) {
      if (document.activeElement === field) canvas.focus({ preventScroll: true });
      field.style.display = "none";
      return;
    }
    if (composing) return;
    const line = program.UTF8ToString(at), bytes = bytesOf.encode(line);
    const caret = textOf.decode(bytes.subarray(0, shell.caret())).length;
    const place = program.HEAPF64.subarray(shell.line_place() / 8, shell.line_place() / 8 + 4);
    field.style.display = "";
    field.style.left = canvas.offsetLeft + place[0] + "px";
    field.style.top = canvas.offsetTop + place[1] + "px";
    field.style.width = place[2] + "px";
    field.style.height = place[3] + "px";
    if (field.value !== line) field.value = line;
    if (document.activeElement !== field) field.focus({ preventScroll: true });
    if (shell.selected()) field.setSelectionRange(0, line.length);
    else if (field.selectionStart !== caret || field.selectionEnd !== caret) field.setSelectionRange(caret, caret);
  }

  function mirrorBack() {
    if (!shell || !shell.line()) return;
    const { value, selectionStart, selectionEnd, selectionDirection } = field;
    const all = value.length > 0 && selectionStart === 0 && selectionEnd === value.length;
    const caret = selectionDirection === "backward" && !all ? selectionStart : selectionEnd;
    event(() => shell.type(value, bytesOf.encode(value.slice(0, caret)).length, all));
  }

  listen(field, "compositionstart", () => { composing = true; });
  listen(field, "compositionend", () => { composing = false; mirrorBack(); });
  listen(field, "input", mirrorBack);
  listen(document, "selectionchange", () => {
    if (document.activeElement === field && !composing) mirrorBack();
  });

  // ---- keys --------------------------------------------------------------------------------------------------------

  function keyDown(e) {
    if (!shell || e.isComposing || e.keyCode === 229) return;
    const ctrl = e.ctrlKey || e.metaKey, typing = e.target === field;
    const name = KEYS[e.key] || e.key, upper = name.length === 1 ? name.toUpperCase() : name;
    const held = (e.shiftKey ? SHIFT : 0) | (ctrl ? CTRL : 0) | (e.altKey ? ALT : 0);
    const altGraph = e.getModifierState("AltGraph");
    let used = false;
    if (e.key === "Tab") {
      if (ctrl || e.altKey || shell.last_view(e.shiftKey)) return;     // after the last view the page goes on
      event(() => { used = shell.key("Tab", held); });
    } else if (ctrl && !altGraph && upper === "O") {
      used = true;
      pick();
    } else if (ctrl && !altGraph) {
      const has = typing ? /^[EF]$/ : /^([EF]|Left|Right|Up|Down)$/;
      if (has.test(upper)) event(() => { used = shell.key(upper, held); });
    } else if (typing) {
      if (/^(Enter|Escape|Up|Down)$/.test(name)) event(() => { used = shell.key(name, held); });
    } else if (name.length > 1) {
      if (!e.altKey || KEYS[e.key]) event(() => { used = shell.key(name, held); });
    } else if (!e.altKey || altGraph) {
      event(() => { used = shell.letter(e.key, e.getModifierState("CapsLock")); });
    }
    if (used) e.preventDefault();
  }
  listen(canvas, "keydown", keyDown);
  listen(field, "keydown", keyDown);

  // ---- the mouse, a pen and fingers --------------------------------------------------------------------------------

  const at = e => {
    const box = canvas.getBoundingClientRect();
    return [(e.clientX - box.left) * (size.width / box.width), (e.clientY - box.top) * (size.height / box.height)];
  };
  const mouse = (kind, x, y) => event(() => shell.mouse(kind, x, y));
  let last = { time: -1e9, x: 0, y: 0 };

  function press(x, y, time) {
    const twice = time - last.time < 400 && Math.hypot(x - last.x, y - last.y) < 6;
    mouse(twice ? DOUBLE : PRESS, x, y);
    last = { time: twice ? -1e9 : time, x, y };
  }

  function focusThis() {
    if (shell.line()) field.focus({ preventScroll: true });
    else canvas.focus({ preventScroll: true });
  }

  // A page that scrolls is scrolled by a finger, until the viewer has been touched.
  for (const target of [canvas, field]) {
    listen(target, "focus", () => { canvas.style.touchAction = "none"; });
    listen(target, "blur", () => { canvas.style.touchAction = "pan-y"; });
  }

  // A finger that rests points; one that moves drags; one that lifts clicks; two zoom, and move what is zoomed.
  const fingers = new Map();
  let finger = null, spread = 0, timer = 0;

  function fingerDown(e) {
    const [x, y] = at(e);
    fingers.set(e.pointerId, [x, y]);
    clearTimeout(timer);
    if (fingers.size === 2) {
      if (finger && finger.what === "drag") mouse(RELEASE, finger.x, finger.y);
      finger = null;
      spread = 0;
      return;
    }
    if (fingers.size > 2) return;
    finger = { x, y, what: "down" };
    timer = setTimeout(() => {
      if (!finger || finger.what !== "down") return;
      finger.what = "point";
      mouse(MOVE, finger.x, finger.y);
    }, 450);
  }

  function pinch() {
    const [[x0, y0], [x1, y1]] = [...fingers.values()];
    const far = Math.max(1, Math.hypot(x1 - x0, y1 - y0)), x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    mouse(MOVE, x, y);
    if (spread) event(() => shell.wheel(Math.log(far / spread) / Math.log(1.2)));
    spread = far;
  }

  function fingerMoved(e) {
    if (!fingers.has(e.pointerId)) return;
    const [x, y] = at(e);
    fingers.set(e.pointerId, [x, y]);
    if (fingers.size === 2) return pinch();
    if (!finger) return;
    if (finger.what === "down" && Math.hypot(x - finger.x, y - finger.y) > 8) {
      clearTimeout(timer);
      finger.what = "drag";
      mouse(PRESS, finger.x, finger.y);
    }
    if (finger.what === "down") return;
    finger.x = x;
    finger.y = y;
    mouse(MOVE, x, y);
  }

  function fingerUp(e) {
    if (!fingers.delete(e.pointerId)) return;
    clearTimeout(timer);
    spread = 0;
    if (!finger) return;
    const { x, y, what } = finger;
    finger = null;
    const taken = e.type === "pointercancel";        // the page scrolls
    if (what === "down" && !taken) press(x, y, e.timeStamp);
    if (what === "drag" || (what === "down" && !taken)) mouse(RELEASE, x, y);
    if (taken) return;
    if (what === "down") mouse(LEAVE, 0, 0);
    focusThis();
  }

  listen(canvas, "pointerdown", e => {
    if (!shell || e.button !== 0) return;
    e.preventDefault();
    canvas.setPointerCapture(e.pointerId);
    if (e.pointerType === "touch") return fingerDown(e);
    press(...at(e), e.timeStamp);
    focusThis();
  });
  listen(canvas, "mousedown", e => e.preventDefault());                // which would take the focus from the field
  listen(canvas, "pointermove", e => {
    if (!shell) return;
    if (e.pointerType === "touch") fingerMoved(e);
    else mouse(MOVE, ...at(e));
  });
  for (const name of ["pointerup", "pointercancel"])
    listen(canvas, name, e => {
      if (!shell) return;
      if (e.pointerType === "touch") fingerUp(e);
      else if (e.button <= 0) mouse(RELEASE, ...at(e));
    });
  listen(canvas, "pointerleave", e => { if (e.pointerType !== "touch") mouse(LEAVE, 0, 0); });
  listen(canvas, "contextmenu", e => { if (finger) e.preventDefault(); });

  // A page that scrolls is scrolled, unless the viewer has the focus. A trackpad's pinch comes as Ctrl and wheel.
  listen(canvas, "wheel", e => {
    const here = document.activeElement === canvas || document.activeElement === field;
    if (!shell || !e.deltaY || (!here && !e.ctrlKey)) return;
    e.preventDefault();
    const notch = e.deltaMode === 1 ? 3 : e.deltaMode === 2 ? 1 : e.ctrlKey && Math.abs(e.deltaY) < 50 ? 10 : 100;
    const notches = Math.max(-3, Math.min(3, -e.deltaY / notch));
    event(() => shell.wheel(notches));
  }, { passive: false });

  // ---- files -------------------------------------------------------------------------------------------------------

  function say(sentence) { event(() => shell.say(sentence)); }

  // Into the program's folder, which has folders of the system too.
  function keep(path, bytes) {
    put(FS, path, bytes);
    return path;
  }

  function gone(path) {
    if (!FS.isDir(FS.stat(path).mode)) return FS.unlink(path);
    for (const name of FS.readdir(path)) if (name !== "." && name !== "..") gone(`${path}/${name}`);
    FS.rmdir(path);
  }

  // What was shown before need not be kept, nor what cannot be shown.
  function show(path) {
    done = false;
    event(() => {
      const good = shell.show(path), before = shown;
      if (!MAPS.test(path) && WORDS.test(path)) return;
      if (good) shown = path;
      const left = good ? before : path;
      if (left && left !== shown) gone(left);
    });
  }

  async function openFiles(files) {
    const maps = files.filter(([path]) => MAPS.test(path)), words = files.filter(([path]) => WORDS.test(path));
    const config = files.find(([path]) => /(^|\/)config\.json$/.test(path));
    const all = files.reduce((sum, [, f]) => sum + f.size, 0);
    if (all > MOST_BYTES)
      return say(`That holds ${Math.round(all / 2 ** 20)} MiB; a page opens up to ${MOST_BYTES / 2 ** 20} MiB, the ` +
                 "viewer of “make view” files of any size.");
    if (config) {
      const folder = config[0].replace(/config\.json$/, "") || "model/";
      const own = files.filter(([path]) => path.startsWith(config[0].replace(/config\.json$/, "")));
      for (const [path, f] of own)
        keep(folder + path.slice(config[0].length - "config.json".length), new Uint8Array(await f.arrayBuffer()));
      return show(folder.replace(/\/$/, ""));
    }
    if (!maps.length && !words.length)
      return say("A .npy, a .safetensors or its words in a .json or .txt can be opened here, or a model’s folder.");
    const last = path => path.replace(/.*\//, "");
    for (const [path, f] of [...words, ...maps]) keep(last(path), new Uint8Array(await f.arrayBuffer()));
    if (maps.length) show(last(maps[0][0]));
    const beside = maps.length && last(maps[0][0]).replace(MAPS, ".json");
    for (const [path] of words) if (last(path) !== beside) show(last(path));
  }

  // A folder's files, without those of its folders. To a page that is itself a file some browsers show a folder in one
  // way alone.
  async function listed(handle) {
    const found = [];
    for await (const inner of handle.values())
      if (inner.kind === "file") found.push([`${handle.name}/${inner.name}`, await inner.getFile()]);
    return found;
  }

  function listedEntry(entry) {
    const reader = entry.createReader(), found = [];
    const file = inner => new Promise((good, bad) => inner.file(f => good([`${entry.name}/${inner.name}`, f]), bad));
    return new Promise((good, bad) => {
      const more = () => reader.readEntries(some => {
        if (!some.length) return good(Promise.all(found.filter(inner => inner.isFile).map(file)));
        found.push(...some);
        more();
      }, bad);
      more();
    });
  }

  async function dropped({ dataTransfer }) {
    const plain = [...dataTransfer.files].map(f => [f.name, f]), items = [...dataTransfer.items];
    const entries = items.map(item => item.webkitGetAsEntry && item.webkitGetAsEntry());
    const n = entries.findIndex(entry => entry && entry.isDirectory);
    if (n < 0) return openFiles(plain);
    const handle = items[n].getAsFileSystemHandle && items[n].getAsFileSystemHandle();
    return openFiles(handle ? await listed(await handle) : await listedEntry(entries[n]));
  }

  function failed(error) { say(`That could not be read: ${error.message}`); }

  function pick() {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.accept = ".npy,.safetensors,.json,.txt";
    input.onchange = () => openFiles([...input.files].map(f => [f.name, f])).catch(failed);
    input.click();
  }

  listen(canvas, "dragover", e => e.preventDefault());
  listen(canvas, "drop", e => {
    e.preventDefault();
    if (shell) dropped(e).catch(failed);
  });
  for (const target of [canvas, field]) {
    listen(target, "paste", e => {
      const files = [...e.clipboardData.files];
      if (!shell || (target === field && !files.length)) return;       // into the field it goes by itself
      e.preventDefault();
      const text = e.clipboardData.getData("text/plain");
      if (files.length) openFiles(files.map(f => [f.name, f])).catch(failed);
      else if (text) event(() => shell.paste(text.slice(0, MOST_TEXT)));
    });
    listen(target, "copy", e => {
      if (!shell || (target === field && field.selectionStart !== field.selectionEnd)) return;
      e.clipboardData.setData("text/plain", shell.copied());
      e.preventDefault();
    });
  }

  // ---- size --------------------------------------------------------------------------------------------------------

  // A point is a pixel of CSS. Where a point is no whole number of pixels the browser says how many the canvas covers.
  function measure(entry) {
    const pixels = window.devicePixelRatio || 1, box = entry && (entry.devicePixelContentBoxSize || [])[0];
    const covers = (points, covered) => Math.abs(covered - points * pixels) <= 1 ? covered / pixels : points;
    const width = covers(canvas.clientWidth, box ? box.inlineSize : NaN);
    const height = covers(canvas.clientHeight, box ? box.blockSize : NaN);
    if (!(width > 0 && height > 0)) return;
    size = { width, height, pixels };
    if (!shell) return;
    shell.size(width, height, pixels);
    mirror();
    changed = true;
    done = false;
    cancelAnimationFrame(frame);
    turn();
  }
  const observer = new ResizeObserver(entries => measure(entries[entries.length - 1]));

  // On paper or in the dark, as the page is: it may have a switch of its own.
  const wall = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  const isDark = () => (root.dataset.scheme || (wall.matches ? "dark" : "light")) === "dark";
  function darken() {
    if (shell && shell.dark() !== isDark()) event(() => shell.letter("p", false));
  }
  const scheme = new MutationObserver(darken);
  scheme.observe(root, { attributeFilter: ["data-scheme"] });
  listen(wall, "change", darken);

  // ---- what a screen reader says -----------------------------------------------------------------------------------

  let speaks = 0;
  function speak() {
    clearTimeout(speaks);
    speaks = setTimeout(() => {
      if (closed) return;
      const words = shell.words();
      if (spoken.textContent !== words) spoken.textContent = words;
    }, 400);
  }

  // ---- opening and closing -----------------------------------------------------------------------------------------

  async function begin() {
    const made = await instantiated(line => { lastWords = line; });
    if (closed) return;
    program = made.instance;
    FS = program.FS;
    const words = [...args];
    if (file) words.unshift(shown = keep(file.name, file.bytes));
    if (tokens) words.push("--tokens", keep("tokens.json", bytesOf.encode(tokens)));
    if (isDark() && !words.includes("--dark")) words.push("--dark");
    let why = null;
    if (!made.calls.open(words.map(word => word + "\n").join(""))) {
      why = made.calls.why();
      shown = null;
      if (!made.calls.open(isDark() ? "--dark\n" : "")) throw new Error(made.calls.why());
    }
    shell = made.calls;
    if (why) shell.say(why);
    if (!size) measure();
    if (size) {
      shell.size(size.width, size.height, size.pixels);
      shell.turn(performance.now() / 1000, 0.004);
      follow();
      present();
    }
    later();
    for (const call of waiting) call();
    waiting = [];
  }

  // What has stopped is said where the picture was.
  function stopped(error) {
    if (closed) return;
    closed = true;
    const told = document.createElement("p");
    told.setAttribute("role", "alert");
    told.textContent = `The viewer has stopped: ${lastWords || error.message || error}. Load the page again to go on.`;
    canvas.after(told);
  }

  try {
    observer.observe(canvas, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(canvas);
  }
  const ready = begin().catch(stopped);

  return {
    get idle() { return done && !frame; },
    ready,                                           // its first picture stands
    open(name, bytes) {
      const call = () => show(keep(name, bytes));
      if (shell) call();
      else waiting.push(call);
    },
    pick,
    close() {
      closed = true;
      observer.disconnect();
      scheme.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(speaks);
      clearTimeout(timer);
      for (const [target, name, react, options] of listened) target.removeEventListener(name, react, options);
      aside.remove();
      bar.remove();
      if (shell) shell.close();
      shell = program = FS = null;
    },
  };
};

})();
