// What the book in a browser promises, tried in a real one: every page is opened from its file, with the network off.
//
//   node check.js build/site build [chapter …]     the site, and the build it is held beside; of all chapters, or of
//                                                  these, every block is run
//
// Of the pages of sources SOME are looked at, picked by SEED; all, where that is not set. A line a problem; at the end
// how much was looked at. 1 when there is a problem.
'use strict';

const { Browser } = require('./browser.js');
const { expect, counted, within } = require('./judge.js');
const { lookAtPage, linksLead, quiet } = require('./pages.js');
const { lookAtPaper } = require('./paper.js');
const { sameAsHere, trainingTakes, blocksRun, blockAnswers, kernelsRun } = require('./programs.js');
const { runsHoldTheirWord, viewOpens } = require('./runs.js');
const { lookAtViewer } = require('./viewer.js');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const LARGEST = 12e6;                                // bytes, of the folder
const FIRST_TEXT = 500, FIRST_RUN = 1000;            // ms
const SLOWER = 3;                                    // times, at most: training in a page
const FLAGS = { '09_what_heads_learn': ['--train', '20'] };            // of what would train for long

const site = path.resolve(process.argv[2]);
const every = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? every(path.join(folder, entry.name)) : [path.join(folder, entry.name)]);
const pages = every(site).filter((file) => file.endsWith('.html')).map((file) => path.relative(site, file)).sort();
const seen = pages.filter((name) => !name.startsWith('source/')).concat(someOf(pages.filter((name) =>
    name.startsWith('source/'))));
const chapters = pages.filter((name) => /^\d\d_/.test(name)).map((name) => name.replace('.html', ''));
// The further pages of a chapter: processors_15.html.
const further = (chapter) => pages.filter((name) => name.match(/^[a-z]+_(\d\d)\.html$/)?.[1] === chapter.slice(0, 2));
const build = process.argv[3];
const picked = process.argv.length > 4 ? process.argv.slice(4) : chapters;
function someOf(list) {
    if (!process.env.SOME) return list;
    return execFileSync('sh', ['tests/sample.sh', String(process.env.SOME)], { input: list.join('\n') + '\n',
        encoding: 'utf8' }).trim().split('\n');
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function look(browser, scratch) {
    const page = await browser.page(), found = new Map(), texts = [];
    for (const name of seen) {
        found.set(name, await lookAtPage(page, site, name));
        if (found.get(name).first) texts.push(found.get(name).first);
        quiet(page, site, name);
    }
    linksLead(site, found);
    expect(median(texts) < FIRST_TEXT, 'pages', `first text after ${median(texts)} ms`);

    const whole = chapters.every((name) => found.get(name + '.html').lives);
    await lookAtPaper(page, site, path.resolve(build, 'site-made'), whole);

    for (const name of picked) {
        for (const own of [name + '.html', ...further(name)]) await blocksRun(page, site, build, own);
        await sameAsHere(page, build, name, FLAGS[name] ?? []);
        await sameAsHere(page, build, name, ['--no-such-flag']);
        quiet(page, site, name);
    }
    if (found.get('16_cuda.html').lives) await kernelsRun(page, site, build);
    await blockAnswers(page, site, build);
    const ran = await within(FIRST_RUN, '06_multi_head', 'ran', async () => {
        await page.go(path.join(site, '06_multi_head.html'));
        return sameAsHere(page, build, '06_multi_head', []);
    });
    const slower = await within(SLOWER, '09_what_heads_learn', 'times as long as here: training ended', async () => {
        await page.go(path.join(site, '09_what_heads_learn.html'));
        return trainingTakes(page, build, '09_what_heads_learn', '300');
    });
    await runsHoldTheirWord(page, site, build, scratch);
    await viewOpens(page, site);
    quiet(page, site, 'blocks');

    const dump = path.join(scratch, 'chapter06.safetensors');
    execFileSync(path.join(build, 'chapters/06_multi_head'), ['--dump', dump]);
    const times = await lookAtViewer(browser, page, site, build, scratch, dump);
    quiet(page, site, 'viewer.html');
    const bytes = every(site).reduce((sum, file) => sum + fs.statSync(file).size, 0);
    expect(!whole || bytes < LARGEST, 'build/site', `${bytes} bytes`);
    console.log(`first text ${Math.round(median(texts))} ms, chapter 06 ${Math.round(ran)} ms, training `
        + `${slower.toFixed(1)} x native, viewer ${Math.round(Math.max(...times))} ms, ${(bytes / 1e6).toFixed(1)} MB`);
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
    console.log(`site: ${seen.length} of ${pages.length} pages, ${picked.length} chapters run, `
        + `${looked} things looked at, ${problems} problems`);
    process.exitCode = problems ? 1 : 0;
})();
