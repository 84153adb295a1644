// The script of the page that --export x.html writes: draws the maps that stand in the page, and asks nobody for
// anything. Of the viewer it has one head with its words, the others small, the scales and the colours. What it leaves
// out: stages, lines, the way a weight came about.
//
// A head is a line of base 64: a code for every weight, deflated where that is said. Code 0 is masked, 1 is NaN, and
// 2 … top stand for low … high, evenly or by squares: low + (high − low) · ((code − 2) / (top − 2))^power.
"use strict";
const $ = id => document.getElementById(id), about = JSON.parse($("about").textContent);
const lines = $("maps").textContent.trim().split("\n"), { T, S, queries, keys } = about;
const MASKED = 0, NAN = 1, FIRST = 2, top_ = about.bits === 8 ? 255 : 65535, kept = [];
const state = { head: about.head, scale: about.scale, colors: about.color, pinned: about.pinned, over: null };
const word = (list, i) => list ? list[i] : String(i);
const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");
const scales = about.weights ? ["linear 0–1", "per head", "log", "× uniform"] : ["linear, all heads", "per head"];

// ---- a head's codes, and what they stand for
async function read(n) {
    if (kept[n]) return kept[n];
    const packed = Uint8Array.from(atob(lines[n]), c => c.charCodeAt(0));
    const stream = () => new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
    const bytes = about.deflated ? new Uint8Array(await stream().arrayBuffer()) : packed;
    const [low, high] = about.ranges[n], table = new Float64Array(top_ + 1), count = T * S;
    for (let c = FIRST; c <= top_; c++) table[c] = low + (high - low) * ((c - FIRST) / (top_ - FIRST)) ** about.power;
    table[MASKED] = table[NAN] = NaN;
    const codes = about.bits === 8 ? bytes : Uint16Array.from({ length: count }, (_, k) => bytes[k] << 8 | bytes[count + k]);
    return kept[n] = { codes, table, low, high };
}
const step = (head, code) => (head.table[Math.min(top_, code + 1)] - head.table[Math.max(FIRST, code - 1)]) / 4;

// ---- colours: where a value stands from 0 to 1, and the colour that stands there
function ramp(head) {
    const name = scales[state.scale], [low, high] = name.startsWith("linear") ? about.range : [head.low, head.high];
    if (name === "log") return { place: v => 1 + Math.log10(v) / 4, ends: ["10⁻⁴", "1"], title: "weight, log" };
    if (name === "× uniform") {
        const most = Math.max(2, S), place = (v, allowed) => 0.5 + Math.log2(v * allowed) / Math.log2(most) / 2;
        return { place, ends: ["1/" + most, String(most)], title: "weight × allowed keys", signed: true };
    }
    const reach = Math.max(-low, high), from = low < 0 ? -reach : about.weights ? 0 : low, to = low < 0 ? reach : high;
    const range = to - from || 1, ends = [from, to].map(x => String(+x.toPrecision(3)));
    return { place: v => (v - from) / range, ends, title: about.unit, signed: low < 0 };
}
function painter(signed) {
    const hex = about.maps[signed ? dark.matches ? "dark" : "paper" : state.colors], mark = parseInt(css("mark").slice(1), 16);
    const all = Uint32Array.from({ length: 256 }, (_, k) => parseInt(hex.slice(6 * k, 6 * k + 6), 16));
    return t => Number.isNaN(t) ? mark : all[Math.max(0, Math.min(255, Math.round(t * 255)))];
}

// Cells of fold × fold: sums over keys, means over queries, as the viewer folds. A masked cell is left transparent.
function picture(head, fold) {
    const rows = Math.ceil(T / fold), cols = Math.ceil(S / fold), image = new ImageData(cols, rows), { codes, table } = head;
    const r = ramp(head), paint = painter(r.signed), masked = parseInt(css("masked").slice(1), 16), uniform = state.scale === 3;
    const allowed = new Float64Array(T);
    for (let i = 0; uniform && i < T; i++) for (let j = 0; j < S; j++) allowed[i] += codes[i * S + j] !== MASKED;
    for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) {
        let sum = 0, seen = false;
        const last = Math.min(T, (i + 1) * fold), end = Math.min(S, (j + 1) * fold);
        for (let y = i * fold; y < last; y++) for (let x = j * fold; x < end; x++) {
            const code = codes[y * S + x];
            if (code === MASKED) continue;
            seen = true;
            sum += table[code];
        }
        const color = seen ? paint(r.place(sum / (last - i * fold), allowed[i * fold] / fold)) : masked, at = 4 * (i * cols + j);
        image.data.set([color >> 16, color >> 8 & 255, color & 255, seen ? 255 : 0], at);
    }
    return image;
}
function bitmap(image) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
}

// ---- the map, its words and its mark
let place = null;
const cell = () => state.pinned || state.over;
function hatch(g) {
    const tile = document.createElement("canvas"), h = tile.getContext("2d");
    tile.width = tile.height = 6;
    h.fillStyle = css("masked");
    h.fillRect(0, 0, 6, 6);
    h.strokeStyle = css("hatch");
    h.beginPath();
    for (const [a, b, c, d] of [[-1, 4, 4, -1], [2, 7, 7, 2]]) { h.moveTo(a, b); h.lineTo(c, d); }
    h.stroke();
    return g.createPattern(tile, "repeat");
}
function every(size, least) {
    let n = 1;
    while (n * size < least) n *= 2;
    return n;
}
async function draw() {
    const canvas = $("map"), g = canvas.getContext("2d"), width = canvas.clientWidth, n = state.head, head = await read(n);
    if (n !== state.head) return;
    const font = "13px DejaVu Sans, Verdana, sans-serif", at = cell();
    g.font = "bold " + font;
    const longest = (list, count) => Math.min(width * 0.28, 110, Math.max(...Array.from({ length: Math.min(count, 512) },
        (_, k) => g.measureText(word(list, list ? k : count - 1)).width)));
    const left = longest(queries, T) + 30, above = longest(keys, S) * 0.82 + 40;
    const size = Math.min((width - left - 34) / S, Math.max(innerHeight * 0.72, 260) / T, 48), high = size * T, wide = size * S;
    const dots = devicePixelRatio || 1;
    place = { left, above, size };
    canvas.style.height = above + high + 8 + "px";
    canvas.width = width * dots;
    canvas.height = (above + high + 8) * dots;
    g.setTransform(dots, 0, 0, dots, 0, 0);
    g.imageSmoothingEnabled = false;
    g.fillStyle = hatch(g);
    g.fillRect(left, above, wide, high);
    g.drawImage(bitmap(picture(head, every(size * dots, 0.999))), left, above, wide, high);
    const text = (value, x, y, angle, marked, align) => {
        g.save();
        g.translate(x, y);
        g.rotate(angle);
        g.font = (marked ? "bold " : "") + font;
        g.fillStyle = css(marked ? state.pinned ? "mark" : "accent" : "ink");
        g.textAlign = align;
        while (g.measureText(value).width > Math.min(width * 0.28, 110) && value.length > 2) value = value.slice(0, -2) + "…";
        g.fillText(value, 0, 0);
        g.restore();
    };
    const skip = every(size, 16), shown = (k, mark) => k === mark || (k % skip === 0 && !(Math.abs(k - mark) < skip));
    for (let i = 0; i < T; i++) if (shown(i, at ? at[0] : NaN))
        text(word(queries, i), left - 8, above + (i + 0.5) * size + 4.5, 0, at && i === at[0], "right");
    for (let j = 0; j < S; j++) if (shown(j, at ? at[1] : NaN))
        text(word(keys, j), left + (j + 0.5) * size + 3, above - 8, -0.96, at && j === at[1], "left");
    g.font = "12px DejaVu Sans, Verdana, sans-serif";
    g.fillStyle = css("quiet");
    g.textAlign = "left";
    g.fillText("key (attended to) →", left, 12);
    g.save();
    g.translate(11, above + high);
    g.rotate(-Math.PI / 2);
    g.fillText(high > 150 ? "← query (attends from)" : "query", 0, 0);
    g.restore();
    if (at) {
        g.strokeStyle = css(state.pinned ? "mark" : "accent");
        g.lineWidth = 2;
        g.strokeRect(left + at[1] * size - 1, above + at[0] * size - 1, Math.max(size, 5) + 2, Math.max(size, 5) + 2);
    }
    tell(head);
}

// ---- what is said
const name = n => about.layers > 1 ? `layer ${Math.floor(n / about.heads)} head ${n % about.heads}` : `head ${n}`;
function number(head, code) {
    if (code === MASKED) return "masked";
    if (code === NAN) return "NaN";
    const error = step(head, code);
    return head.table[code].toFixed(error > 0 ? Math.max(2, Math.min(6, Math.ceil(-Math.log10(error)))) : 3);
}
function tell(head) {
    const at = cell(), role = about.roles && about.roles[state.head], r = ramp(head), code = at && head.codes[at[0] * S + at[1]];
    const value = at && number(head, code), pair = at && `${word(queries, at[0])} → ${word(keys, at[1])}`;
    $("map").setAttribute("aria-label", `${name(state.head)}: ${T} queries by ${S} keys` + (at ? `; ${pair} ${value}` : ""));
    $("said").textContent = `${name(state.head)}${role ? ": " + role : ""} · ${scales[state.scale]} · ${about.said}`;
    $("cell").textContent = at ? `${pair}  ${value}` : "Point at a cell.";
    const error = code > NAN ? step(head, code) : 0;
    $("stored").textContent = code > NAN ? `query ${at[0]}, key ${at[1]}; stored in ${about.bits} bits, ± ${error.toPrecision(1)}` : "";
    const name_of = r.signed ? dark.matches ? "dark" : "paper" : state.colors, hex = about.maps[name_of];
    const stops = [0, 64, 128, 191, 255].map(k => "#" + hex.slice(6 * k, 6 * k + 6)).join(",");
    $("bar").textContent = `${r.ends[0]} `;
    const bar = document.createElement("span");
    bar.style.cssText = `display:inline-block;width:40%;height:10px;background:linear-gradient(90deg,${stops})`;
    $("bar").append(bar, ` ${r.ends[1]}  ${r.title}` + (about.masked ? "; hatched: masked" : ""));
    const row = at ? Array.from({ length: S }, (_, j) => [head.codes[at[0] * S + j], j]) : [];
    row.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    $("row").replaceChildren(...row.slice(0, 8).filter(([c]) => c !== MASKED).map(([c, j]) => {
        const line = document.createElement("tr");
        for (const value of [word(keys, j), number(head, c)]) line.insertCell().textContent = value;
        return line;
    }));
}

// ---- small pictures, one after the other
const thumbs = [];
let painting = 0;
async function small() {
    const turn = ++painting;
    for (let n = 0; n < thumbs.length; n++) {
        const image = picture(await read(n), Math.ceil(Math.max(T, S) / 48));
        if (turn !== painting) return;
        const canvas = thumbs[n].firstChild;
        [canvas.width, canvas.height] = [image.width, image.height];
        canvas.getContext("2d").putImageData(image, 0, 0);
        if (n % 8 === 7) await new Promise(done => setTimeout(done));
    }
}
function show(n) {
    state.head = Math.max(0, Math.min(thumbs.length - 1, n));
    thumbs.forEach((b, k) => b.setAttribute("aria-pressed", k === state.head));
    thumbs[state.head].scrollIntoView({ block: "nearest" });
    draw();
}
function again() { draw(); small(); }

// ---- hands
function at_of(event) {
    const box = $("map").getBoundingClientRect(), { left, above, size } = place || {};
    const i = Math.floor((event.clientY - box.top - above) / size), j = Math.floor((event.clientX - box.left - left) / size);
    return i >= 0 && i < T && j >= 0 && j < S ? [i, j] : null;
}
const same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];
$("map").addEventListener("pointermove", e => {
    const at = at_of(e);
    if (same(at, state.over) || at === state.over) return;
    state.over = at;
    if (!state.pinned) draw();
});
$("map").addEventListener("pointerleave", () => { state.over = null; draw(); });
$("map").addEventListener("click", e => {
    const at = at_of(e);
    if (at) state.pinned = same(at, state.pinned) ? null : at;
    draw();
});
addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT") return;
    const right = { ArrowRight: 1, ArrowLeft: -1 }[e.key] || 0, down = { ArrowDown: 1, ArrowUp: -1 }[e.key] || 0;
    if ((right || down) && e.shiftKey) {
        const [i, j] = cell() || [-down, -right];
        state.pinned = [Math.max(0, Math.min(T - 1, i + down)), Math.max(0, Math.min(S - 1, j + right))];
        draw();
    } else if (right) show(state.head + right);
    else if (down) show(Math.abs(state.head + down * about.heads - (thumbs.length - 1) / 2) * 2 < thumbs.length
        ? state.head + down * about.heads : state.head);
    else if (e.key === "Escape") { state.pinned = null; draw(); }
    else if (e.key.toLowerCase() === "s") { $("scale").selectedIndex = state.scale = (state.scale + 1) % scales.length; again(); }
    else if (e.key.toLowerCase() === "c") {
        $("colors").selectedIndex = ($("colors").selectedIndex + 1) % 3;
        state.colors = $("colors").value;
        again();
    } else return;
    e.preventDefault();
});
$("scale").addEventListener("change", e => { state.scale = e.target.selectedIndex; again(); });
$("colors").addEventListener("change", e => { state.colors = e.target.value; again(); });
addEventListener("resize", draw);
dark.addEventListener("change", again);

// ---- all
document.title = $("title").textContent = about.title;
$("made").textContent = about.source + " · " + about.command;
if (state.scale >= scales.length) state.scale = 0;
$("scale").append(...scales.map((s, k) => new Option(s, s, false, k === state.scale)));
$("colors").append(...["viridis", "cividis", "magma"].map(c => new Option(c, c, false, c === state.colors)));
for (let n = 0; n < lines.length; n++) {
    if (about.layers > 1 && n % about.heads === 0) {
        const title = document.createElement("h2");
        title.textContent = "layer " + n / about.heads;
        $("heads").append(title);
    }
    const button = document.createElement("button"), canvas = document.createElement("canvas");
    canvas.style.cssText = "width:46px;height:46px;image-rendering:pixelated";
    button.append(canvas);
    button.setAttribute("aria-label", name(n));
    button.title = name(n);
    button.addEventListener("click", () => show(n));
    $("heads").append(button);
    thumbs.push(button);
}
show(state.head);
small();
