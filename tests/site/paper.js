// book.pdf: its contents say where chapters are, no line of it is cut, and its figures are lines and letters.
'use strict';

const { expect, shown } = require('./judge.js');
const { quiet } = require('./pages.js');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');

const MARGIN = 18 / 25.4 * 72;                       // points, of book.css, on the right
const CELLS = 64;                                    // a side, of a map that is an image
const tool = (name, ...words) => execFileSync(name, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const squeezed = (text) => text.normalize('NFKC').replace(/\s+/g, '');

// Lines of code and output, as the page has them that is printed.
const linesOf = () => [...document.querySelectorAll('pre')].flatMap((pre) => pre.textContent.split('\n'));

// Words with their places, by page: { width, words: [{ right, word }] }.
function placesOf(pdf) {
    return tool('pdftotext', '-bbox', pdf, '-').split('<page ').slice(1).map((page) => ({
        width: Number(page.match(/width="([\d.]+)"/)[1]),
        words: [...page.matchAll(/xMin="(-?[\d.]+)" .*xMax="([\d.]+)".*>(.*)<\/word>/g)]
            .map(([, left, right, word]) => ({ left: Number(left), right: Number(right), word })),
    }));
}

async function lookAtPaper(page, site, made, whole) {
    const pdf = site + '/book.pdf', name = 'book.pdf';
    if (!fs.existsSync(pdf)) return expect(false, name, 'is not there');
    const places = placesOf(pdf);
    places.forEach(({ width, words }, n) => {
        for (const { left, right, word } of words)
            if (left < 0 || right > width - MARGIN + 2) expect(false, name, `page ${n + 1}: ${shown(word)} is cut`);
    });
    expect(places.length > 100, name, `${places.length} pages`);

    // In raw order a line stands as it was printed; letters of one may follow those of another where a page ends.
    await page.go(made + '/print.html');
    quiet(page, made, 'print.html');
    const text = squeezed(tool('pdftotext', '-raw', pdf, '-')), lines = await page.run(linesOf);
    const lost = lines.filter((line) => squeezed(line) && !text.includes(squeezed(line)));
    for (const line of lost.slice(0, 5)) expect(false, name, `the line ${shown(line)} is not there whole`);
    expect(lines.length > 5000 && !lost.length, name, `${lost.length} of ${lines.length} lines are not there whole`);

    const [, contents] = tool('pdftotext', '-layout', '-l', '3', pdf, '-').match(/^\f?Contents\n([^]*)/m) || [, ''];
    const listed = [...contents.matchAll(/^(\d\d)\s+(\S.*?)\s+(\d+)$/gm)];
    const chapters = fs.readdirSync('chapters').filter((folder) => /^\d\d_/.test(folder));
    expect(listed.length === chapters.length, name, `${listed.length} chapters in the contents`);
    for (const [, number, title, at] of listed) {
        const there = squeezed(tool('pdftotext', '-raw', '-f', at, '-l', at, pdf, '-'));
        expect(there.slice(0, 60).includes(squeezed(title)), name, `${number} ${title} does not begin on page ${at}`);
    }

    // A bar of colours is as many pixels as it has colours, one beside the other. A map of many cells is a pixel a
    // cell, with edges that are kept. Nothing else is pixels.
    const images = tool('pdfimages', '-list', pdf).trim().split('\n').slice(2).map((row) => row.trim().split(/\s+/));
    const coarse = images.filter(([, , kind, wide, high, , , , , smooth]) =>
        kind === 'image' && wide > 1 && high > 1 && (smooth !== 'no' || wide > CELLS || high > CELLS));
    expect(!whole || !coarse.length, name, `${coarse.length} figures are pixels, on pages ${coarse.map(([at]) => at)}`);
}

module.exports = { lookAtPaper };
