// The viewer in a page beside the window's: the same pixels at three sizes, and what hands do to it.
'use strict';

const { expect, shown, within } = require('./judge.js');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

// How many pixels of the canvas, or of an earlier picture of it, are not those of the picture.
async function pixelsThatDiffer(png, earlier = null) {
    const picture = new Image();
    let canvas = document.querySelector('canvas');
    if (earlier) {
        const was = new Image();
        was.src = earlier;
        await was.decode();
        canvas = new OffscreenCanvas(was.width, was.height);
        canvas.getContext('2d').drawImage(was, 0, 0);
    }
    picture.src = 'data:image/png;base64,' + png;
    await picture.decode();
    const sheet = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    sheet.drawImage(picture, 0, 0);
    if (picture.width !== canvas.width || picture.height !== canvas.height)
        return `${canvas.width} x ${canvas.height}, not ${picture.width} x ${picture.height}`;
    const a = sheet.getImageData(0, 0, picture.width, picture.height).data;
    const b = canvas.getContext('2d').getImageData(0, 0, picture.width, picture.height).data;
    let count = 0;
    for (let k = 0; k < a.length; k += 4)
        count += a[k] !== b[k] || a[k + 1] !== b[k + 1] || a[k + 2] !== b[k + 2];
    return count;
}

function nativePicture(build, scratch, flags) {
    const file = path.join(scratch, 'native.png');
    const { status, stderr } = spawnSync(path.join(build, 'viewer'), [...flags, '--export', file],
                                         { encoding: 'utf8' });
    if (status) throw new Error(stderr);
    return fs.readFileSync(file).toString('base64');
}

const there = () => !!window.book?.viewing;
const standing = () => book.viewing.ready.then(() => performance.now());
const idle = () => book.viewing.idle;
const spoken = () => document.querySelector('[id^=viewer-says]').textContent;
const drawn = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(0))));
const size = [1280, 800, 1];
const FIRST_PICTURE = 1000;                          // ms

// A file from a hand: of the name, with the bytes that base64 says.
function drop(name, base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)), held = new DataTransfer();
    held.items.add(new File([bytes], name));
    const event = new DragEvent('drop', { dataTransfer: held, bubbles: true, cancelable: true });
    document.querySelector('canvas').dispatchEvent(event);
}

// A page in which the viewer has this size, with pixels a point; when its first picture stood, in ms.
async function standsAt(page, site, [width, height, pixels], touch = false) {
    await page.size(width + 200, height + 200, pixels, touch);
    await page.go(path.join(site, 'viewer.html'));
    await page.until(there);
    const first = await page.run(standing);
    await page.run((w, h) => Object.assign(document.querySelector('canvas').style,
        { position: 'fixed', left: 0, top: 0, width: `${w}px`, height: `${h}px`, maxWidth: 'none', maxHeight: 'none',
          minHeight: 0, border: 0, padding: 0, zIndex: 9 }) && 0, width, height);
    await page.run(drawn);
    return first;
}

// What is seen is what the viewer of this machine draws with these flags.
async function seen(page, build, scratch, [width, height, pixels], flags, what) {
    await page.until(idle);
    const given = [...flags, '--size', `${width}x${height}`, '--dpi', String(96 * pixels)];
    const picture = nativePicture(build, scratch, given);
    const differ = await page.run(pixelsThatDiffer, picture);
    expect(differ === 0, 'viewer.html', `${what}: ${differ} pixels differ`);
}

async function handsOn(page, build, scratch) {
    const head = ['--layer', '1', '--head', '3'], next = [...head, '--cell', '11,2'];      // it begins with 1.2
    await page.run(() => document.querySelector('canvas').focus());
    await page.key('Tab', { number: 9 });
    await seen(page, build, scratch, size, ['--view', 'lines'], 'Tab');
    await page.key('Tab', { number: 9, modifiers: 8 });
    await page.until(idle);
    await page.key('ArrowRight', { number: 39 });
    await seen(page, build, scratch, size, next, 'an arrow');
    await page.type('a');
    await seen(page, build, scratch, size, [...next, '--off', '1.3'], 'a head that is off');
    await page.type('a/');
    await page.key('a', { code: 'KeyA', modifiers: 2, number: 65 });
    await page.type('the street was wide .');
    await page.key('Enter', { text: '\r', number: 13 });
    await seen(page, build, scratch, size, [...head, '--text', 'the street was wide .'], 'a typed sentence');
}

// E, and the file that comes.
async function savedBy(browser, page, scratch) {
    await browser.ask('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: scratch });
    await page.run(() => document.querySelector('canvas').focus());
    const before = new Set(fs.readdirSync(scratch));
    await page.type('e');
    for (let n = 0; n < 100; n++) {
        await new Promise((go) => setTimeout(go, 50));
        const saved = fs.readdirSync(scratch).find((name) => !before.has(name) && name.endsWith('.png'));
        if (saved) return fs.readFileSync(path.join(scratch, saved)).toString('base64');
    }
    return null;
}

async function fileDropped(browser, page, build, scratch, dump) {
    await page.run(drop, path.basename(dump), fs.readFileSync(dump).toString('base64'));
    await new Promise((go) => setTimeout(go, 300));
    await seen(page, build, scratch, size, [dump], 'a file that was dropped');
    const earlier = await page.run(() => document.querySelector('canvas').toDataURL());
    const saved = await savedBy(browser, page, scratch);
    expect(saved, 'viewer.html', 'E saved no PNG');
    const differ = saved && await page.run(pixelsThatDiffer, saved, earlier);
    expect(!differ, 'viewer.html', `the PNG that E saved: ${differ} pixels differ`);
}

// A finger on a cell pins it: the native picture has it pinned, and what is spoken names it, with its weight.
async function touched(page, build, scratch) {
    const cell = { x: 535, y: 300, place: '4,4',
                   says: ['not → not', 'query 4, key 4, pinned', 'weight 0.9905'] };
    await seen(page, build, scratch, size, [], 'before a finger');
    expect(!(await page.run(spoken)).includes(cell.says[0]), 'viewer.html', `${cell.says[0]} before a finger`);
    await page.touch('touchStart', [{ x: cell.x, y: cell.y }]);
    await page.touch('touchEnd', []);
    await seen(page, build, scratch, size, ['--layer', '1', '--head', '2', '--cell', cell.place], 'a finger on a cell');
    await new Promise((go) => setTimeout(go, 500));  // words follow a picture that stands
    const lines = (await page.run(spoken)).split('\n');
    for (const line of cell.says)
        expect(lines.includes(line), 'viewer.html',
               `a finger: it does not say ${line}: ${lines.join('|')}`);
}

// How long its first pictures took, in ms.
async function lookAtViewer(browser, page, site, build, scratch, dump) {
    const times = [];
    await page.media({ 'prefers-color-scheme': 'light' });
    for (const at of [size, [700, 560, 2], [1600, 1000, 1.25]]) {
        const first = () => standsAt(page, site, at);
        times.push(await within(FIRST_PICTURE, 'viewer.html', `first picture at ${at}`, first));
        await seen(page, build, scratch, at, [], `the first picture at ${at}`);
    }
    await standsAt(page, site, size);
    await handsOn(page, build, scratch);
    await standsAt(page, site, size);
    await fileDropped(browser, page, build, scratch, dump);
    await standsAt(page, site, size, true);
    await touched(page, build, scratch);
    return times;
}

module.exports = { lookAtViewer };
