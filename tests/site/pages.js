// A page as a reader meets it: words, pictures, links, colours, widths, what it asks of a network and what it says.
'use strict';

const { expect, shown } = require('./judge.js');
const fs = require('node:fs');
const path = require('node:path');

// Texts by their colour on what lies under them (WCAG 2, 1.4.3); alpha is laid over what is below.
function faintTexts() {
    const parse = (css) => { const n = css.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
    const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
    const light = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    const luminance = (c) => 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2]);
    const base = matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    const grounds = new Map();                       // an element's is that of many texts
    const ground = (element) => {
        if (!element) return base;
        if (!grounds.has(element))
            grounds.set(element, over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement)));
        return grounds.get(element);
    };
    const faint = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode());) {
        const element = node.parentElement, style = getComputedStyle(element);
        if (!node.data.trim() || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
        if (element.closest(':disabled, [aria-hidden=true], svg, .unseen')) continue;
        const behind = ground(element), size = parseFloat(style.fontSize);
        const front = over(parse(style.color), behind);
        const [a, b] = [luminance(front), luminance(behind)].sort((x, y) => y - x);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5) - 0.01)
            faint.add([((a + 0.05) / (b + 0.05)).toFixed(2), element.localName + '.' + element.className,
                       node.data.trim().slice(0, 30)].join(' '));
    }
    return [...faint].slice(0, 5);
}

function headingsOf() {
    return [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
        .map((h) => [Number(h.localName[1]), h.textContent.trim()]);
}
function linksOf() { return [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')); }
function idsOf() { return [...document.querySelectorAll('[id]')].map((e) => e.id); }
function picturesWithoutWords() {
    const pictures = [...document.images];
    for (const picture of pictures) picture.loading = 'eager';
    return Promise.all(pictures.map((p) => p.decode().then(() => p.alt.trim(), () => ''))).then((words) =>
        pictures.filter((p, n) => !words[n]).map((p) => p.getAttribute('src').slice(0, 80)));
}
// What can be used by a mouse has a name, and the keyboard comes to it.
function unreachable() {
    const words = (e) => e.getAttribute('aria-label') || e.textContent || e.title || e.querySelector('img')?.alt || '';
    const named = (e) => words(e).trim()
        || (e.labels && [...e.labels].some((l) => l.textContent.trim())) || e.getAttribute('aria-labelledby');
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, canvas, [onclick]')]
        .filter((e) => e.type !== 'hidden')
        .filter((e) => !named(e) || (e.tabIndex < 0 && !e.disabled && !e.closest('canvas + div')))
        .map((e) => e.outerHTML.slice(0, 80));
}
function widths() {
    const page = document.documentElement;
    const out = [...document.querySelectorAll('body *')].filter((e) => {
        const r = e.getBoundingClientRect();
        if (!r.width || r.right <= innerWidth + 1) return false;
        for (let p = e.parentElement; p; p = p.parentElement)
            if (getComputedStyle(p).overflowX !== 'visible') return false;
        return true;
    });
    return { wide: page.scrollWidth, room: innerWidth, out: out.slice(0, 3).map((e) => e.outerHTML.slice(0, 60)) };
}

async function lookAtPage(page, site, name) {
    await page.media({ 'prefers-color-scheme': 'light' });
    await page.size(1000, 800);
    await page.go(path.join(site, name));
    const headings = await page.run(headingsOf);
    expect(headings.filter(([level]) => level === 1).length === 1, name, 'has not one h1');
    headings.forEach(([level, words], n) =>
        expect(words && (!n || level <= headings[n - 1][0] + 1), name, `the heading ${shown(words)} skips a level`));
    for (const src of await page.run(picturesWithoutWords))
        expect(false, name, `the picture ${src} has no words, or is not there`);
    for (const html of await page.run(unreachable))
        expect(false, name, `no name, or not to be reached by keyboard: ${html}`);
    for (const scheme of ['light', 'dark']) {
        await page.media({ 'prefers-color-scheme': scheme });
        for (const text of await page.run(faintTexts)) expect(false, name, `contrast below AA, ${scheme}: ${text}`);
    }
    const first = await page.run(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    await page.size(360, 740, 2, true);
    const { wide, room, out } = await page.run(widths);
    expect(wide <= room && !out.length, name, `at 360 px it is ${wide} px wide: ${out}`);
    await page.size(1000, 800);
    const links = await page.run(linksOf), ids = await page.run(idsOf);
    const lives = await page.run(() => new Set([...document.querySelectorAll('.live')].map((e) =>
        e.dataset.program)).has(document.body.dataset.page));
    const twice = ids.find((id, n) => ids.indexOf(id) !== n);
    expect(!twice, name, `the id ${twice} stands twice`);
    return { links, ids, first, lives };
}

function linksLead(site, found) {
    for (const [name, { links }] of found)
        for (const link of links) {
            if (/^(https?|mailto|blob):/.test(link)) continue;
            const [file, anchor] = link.split('#');
            const to = file ? path.posix.join(path.posix.dirname(name), decodeURIComponent(file)) : name;
            const there = found.has(to) || fs.existsSync(path.join(site, to));
            expect(there, name, `the link ${link} leads nowhere`);
            if (there && anchor && found.has(to))
                expect(found.get(to).ids.includes(decodeURIComponent(anchor)), name, `the link ${link}: no such place`);
        }
}

function quiet(page, site, name) {
    expect(!page.said.length, name, `on the console: ${shown(page.said.join(' | '))}`);
    for (const url of page.requests) {
        const inside = url.startsWith('file://' + site + '/') || /^(blob|data|about):/.test(url);
        expect(inside, name, `a request: ${url.slice(0, 100)}`);
    }
    page.said.length = page.requests.length = 0;
}

module.exports = { lookAtPage, linksLead, quiet };
