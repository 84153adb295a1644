// What the book in a browser promises, tried in a real one: every page is opened from its file, with the network off.
//
//   node check.js build/site build [chapter …]     the site, and the build it is held beside; of all chapters, or of
//                                                  these, every block is run
//
// A line a problem; at the end how much was looked at. 1 when there is a problem.
'use strict';

const { Browser } = require('./browser.js');
const { expect, counted } = require('./judge.js');
const { lookAtPage, linksLead, quiet } = require('./pages.js');
const { sameAsHere, blocksRun, blockAnswers } = require('./programs.js');
const { lookAtViewer } = require('./viewer.js');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const LARGEST = 12e6;                                // bytes, of the folder
const FIRST_TEXT = 500, FIRST_PICTURE = 1000, FIRST_RUN = 1000;        // ms
const FLAGS = { '09_what_heads_learn': ['--train', '20'] };            // of what would train for long

const site = path.resolve(process.argv[2]);
const every = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? every(path.join(folder, entry.name)) : [path.join(folder, entry.name)]);
const pages = every(site).filter((file) => file.endsWith('.html')).map((file) => path.relative(site, file)).sort();
const chapters = pages.filter((name) => /^\d\d_/.test(name)).map((name) => name.replace('.html', ''));
const build = process.argv[3];
const picked = process.argv.length > 4 ? process.argv.slice(4) : chapters;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function look(browser, scratch) {
    const page = await browser.page(), found = new Map(), texts = [], runs = [];
    for (const name of pages) {
        found.set(name, await lookAtPage(page, site, name));
        if (found.get(name).first) texts.push(found.get(name).first);
        quiet(page, site, name);
    }
    linksLead(site, found);
    expect(median(texts) < FIRST_TEXT, 'pages', `first text after ${median(texts)} ms`);

    for (const name of picked) {
        await blocksRun(page, site, name + '.html');
        await sameAsHere(page, build, name, FLAGS[name] ?? []);
        await sameAsHere(page, build, name, ['--no-such-flag']);
        quiet(page, site, name);
    }
    await blockAnswers(page, site, build);
    for (let n = 0; n < 3; n++) {
        await page.go(path.join(site, '06_multi_head.html'));
        runs.push(await sameAsHere(page, build, '06_multi_head', []));
    }
    expect(median(runs) < FIRST_RUN, '06_multi_head', `ran in ${median(runs)} ms`);
    quiet(page, site, 'blocks');

    const dump = path.join(scratch, 'chapter06.safetensors');
    execFileSync(path.join(build, 'chapters/06_multi_head'), ['--dump', dump]);
    const times = await lookAtViewer(browser, page, site, build, scratch, dump);
    quiet(page, site, 'viewer.html');
    expect(median(times) < FIRST_PICTURE, 'viewer.html', `first picture after ${median(times)} ms`);

    const bytes = every(site).reduce((sum, file) => sum + fs.statSync(file).size, 0);
    expect(bytes < LARGEST, 'build/site', `${bytes} bytes`);
    console.log(`first text ${Math.round(median(texts))} ms, chapter 06 ${Math.round(median(runs))} ms, `
        + `viewer ${Math.round(median(times))} ms, ${(bytes / 1e6).toFixed(1)} MB`);
}

(async () => {
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'site-check-')), browser = Browser.open();
    try {
        await look(browser, scratch);
    } catch (error) {
        expect(false, 'site', error.stack);
    }
    await browser.close();
    fs.rmSync(scratch, { recursive: true, force: true });
    const { looked, problems } = counted();
    console.log(`site: ${pages.length} pages, ${picked.length} chapters run, ${looked} things looked at, `
        + `${problems} problems`);
    process.exitCode = problems ? 1 : 0;
})();
