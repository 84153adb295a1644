// What run.js promises of a run: what goes in and what comes out, to the byte; bars, questions, an early end.
'use strict';

const { expect, shown } = require('./judge.js');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

// In the page: a run to its end, or to where it waits. Files are base64, since JSON says what goes in and out.
async function runTold(name, args, { input, files = {}, waits, stopAfter } = {}) {
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const letters = (list) => btoa(Array.from(list, (b) => String.fromCharCode(b)).join(''));
    return new Promise((resolve) => {
        const told = { out: '', error: '', bars: [], status: undefined, files: {} };
        const running = book.run(name, args, {
            input, files: Object.fromEntries(Object.entries(files).map(([at, text]) => [at, bytes(text)])),
            output(text, isError) { told[isError ? 'error' : 'out'] += text; },
            progress(line) { told.bars.push(line); },
            waits: waits && (() => resolve({ ...told, waited: true })),
            done(status, made) {
                for (const at in made) told.files[at] = letters(made[at]);
                resolve({ ...told, status });
            },
        });
        if (stopAfter !== undefined) setTimeout(() => running.stop(), stopAfter);
    });
}

function here(build, scratch, name, args, input = '') {
    const { stdout, stderr, status } = spawnSync(path.resolve(build, 'chapters', name), args,
        { argv0: `build/chapters/${name}`, cwd: scratch, input, encoding: 'utf8' });
    return { out: stdout, error: stderr, status };
}

function same(what, there, native) {
    expect(there.status === native.status, 'run.js', `${what}: status ${there.status}, natively ${native.status}`);
    expect(there.out === native.out, 'run.js', `${what}: ${shown(there.out)}, natively ${shown(native.out)}`);
    expect(there.error === native.error, 'run.js', `${what}: ${shown(there.error)}, natively ${shown(native.error)}`);
}

async function runsHoldTheirWord(page, site, build, scratch) {
    const one = '06_multi_head', long = '09_what_heads_learn', at = path.join(scratch, 'runs');
    fs.mkdirSync(path.join(at, 'out'), { recursive: true });
    await page.go(path.join(site, one + '.html'));
    await page.run(() => new Promise((onload) => document.head.append(
        Object.assign(document.createElement('script'), { src: 'run.js', onload }))).then(() => 0));

    // Enter as often as asked for; then fewer; then none that could come.
    const enough = '\n'.repeat(40);
    same('--step', await page.run(runTold, one, ['--step'], { input: enough }),
         here(build, at, one, ['--step'], enough));
    same('--step, no input', await page.run(runTold, one, ['--step']), here(build, at, one, ['--step']));
    const waited = await page.run(runTold, one, ['--step'], { input: '\n', waits: true });
    expect(waited.waited && waited.status === undefined, 'run.js', `no wait: ${waited.status}`);
    expect(/2\. {2}\w/.test(waited.out) && !/3\. {2}\w/.test(waited.out) && waited.out.endsWith('[Enter] '), 'run.js',
           `it waits after ${shown(waited.out.slice(-60))}`);

    // Files in and out.
    const words = fs.readFileSync('data/embeddings.tsv', 'utf8').replace(/0\.9/g, '0.8');
    fs.writeFileSync(path.join(at, 'mine.tsv'), words);
    const flags = ['--embeddings', 'mine.tsv', '--dump', 'out/run.safetensors'];
    const given = { 'mine.tsv': Buffer.from(words).toString('base64') };
    const there = await page.run(runTold, one, flags, { files: given });
    same('--embeddings, --dump', there, here(build, at, one, flags));
    expect(Object.keys(there.files).join() === 'out/run.safetensors', 'run.js', `it wrote ${Object.keys(there.files)}`);
    const dump = path.join(at, 'out/run.safetensors');
    expect(fs.existsSync(dump) && there.files['out/run.safetensors'] === fs.readFileSync(dump, 'base64'), 'run.js',
           'the bytes of a file that it wrote are others');
    const fault = await page.run(runTold, one, ['--embeddings', 'missing.tsv']);
    same('a file that is not there', fault, here(build, at, one, ['--embeddings', 'missing.tsv']));

    // A bar goes to progress, whole lines, and is no part of what is printed.
    const bars = await page.run(runTold, long, ['--train', '60', '--only', '3']);
    expect(bars.status === 0 && bars.bars.length > 1, 'run.js', `${bars.bars.length} bars, status ${bars.status}`);
    expect(bars.bars.at(-1) === '' && /step 60 of 60/.test(bars.bars.at(-2)), 'run.js', `the last bar is ${
        shown(bars.bars.slice(-2).join('|'))}`);
    expect(bars.bars.slice(0, -1).every((line) => line.startsWith('model A [')) && !bars.error, 'run.js',
           `bars and words are mixed: ${shown(bars.error)}`);

    const stopped = await page.run(runTold, long, ['--train', '5000'], { stopAfter: 300 });
    expect(stopped.status === null, 'run.js', `a run that is stopped ends with ${stopped.status}`);
    const none = await page.run(runTold, 'nothing', []);
    expect(none.status === 2 && none.error === 'nothing: there is no such program in this book\n', 'run.js',
           `a program that is none: ${none.status} ${shown(none.error)}`);
}

// --view in a page opens the viewer on that run, without itself; attend has no such flag, and says so.
async function viewOpens(page, site) {
    const give = (program, flags) => {
        const block = [...document.querySelectorAll('.live')].find((e) => e.dataset.program === program);
        const input = block.querySelector('input');
        input.value = flags;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        block.querySelector('button.start').click();
        return 0;
    };
    await page.go(path.join(site, '06_multi_head.html'));
    await page.run(give, '06_multi_head', '--view --heads 2');
    const label = await page.until(() => document.querySelector('dialog[open] canvas')?.getAttribute('aria-label')
        ?.match(/^The viewer: (?!\. ).*/)?.[0]);
    const command = await page.run(() => document.querySelector('dialog header code').textContent);
    expect(command === 'build/chapters/06_multi_head --heads 2', 'run.js', `--view opens ${shown(command)}`);
    expect(/multi/i.test(label), 'run.js', `--view: the viewer has ${shown(label)}`);
    await page.go(path.join(site, 'index.html'));
    await page.run(give, 'attend', '--view');
    const said = await page.until(() =>
        [...document.querySelectorAll('.live .wrong')].map((e) => e.textContent).join(''));
    expect(/--view/.test(said) && !/--dump/.test(said), 'run.js', `attend --view: ${shown(said)}`);
}

module.exports = { runsHoldTheirWord, viewOpens };
