// Programs in a page: the bytes that they write natively, and blocks of a text that run.
'use strict';

const { expect, shown } = require('./judge.js');
const { spawnSync } = require('node:child_process');
const path = require('node:path');

// In the page, from what one that stands has: the program run to its end. What it wrote to both, as text; its status.
async function runInPage(name, args) {
    const began = performance.now();
    if (!window.book?.run) await new Promise((onload) =>
        document.head.append(Object.assign(document.createElement('script'), { src: 'run.js', onload })));
    return new Promise((resolve) => {
        const said = { out: '', error: '' };
        book.run(name, args, {
            output(text, isError) { said[isError ? 'error' : 'out'] += text; },
            progress() {},
            done(status) { resolve({ ...said, status, ms: performance.now() - began }); },
        });
    });
}

// Natively, under the name that a page's programs go by.
function runHere(build, name, args, folder = 'chapters') {
    const { stdout, stderr, status } = spawnSync(path.resolve(build, folder, name), args,
        { argv0: `build/chapters/${name}`, encoding: 'utf8', maxBuffer: 1 << 28 });
    return { out: stdout, error: stderr, status };
}

function firstDifference(a, b) {
    const [x, y] = [a.split('\n'), b.split('\n')];
    const n = x.findIndex((line, k) => line !== y[k]);
    return n < 0 ? 'one ends early' : `line ${n + 1}: ${shown(x[n])}, natively ${shown(y[n] ?? '')}`;
}

async function sameAsHere(page, build, name, args, folder) {
    const there = await page.run(runInPage, name, args), here = runHere(build, name, args, folder);
    const where = [name, ...args].join(' ');
    expect(there.status === here.status, where, `status ${there.status}, natively ${here.status}`);
    expect(there.out === here.out, where, firstDifference(there.out, here.out));
    if (here.status) expect(there.error === here.error, where, firstDifference(there.error, here.error));
    return there.ms;
}

// How many times as long as here a page trains for these steps, as all of the program's run.
async function trainingTakes(page, build, name, steps) {
    const ms = await sameAsHere(page, build, name, ['--train', steps]), began = performance.now();
    runHere(build, name, ['--train', steps]);
    return ms / (performance.now() - began);
}

// ---- a page's blocks: as the book has them, with another flag, stopped, with a flag that is none

// Block n of a page: what it is now, and what hands do to it.
function blockOf(n) {
    const block = document.querySelectorAll('.live')[n], said = block.querySelector('.said');
    return {
        busy: block.hasAttribute('aria-busy'), command: block.querySelector('form.command').innerText.trim(),
        flags: block.querySelector('input').value, text: block.querySelector('pre').textContent,
        wrong: [...block.querySelectorAll('.wrong')].map((e) => e.textContent).join(''),
        said: said.textContent, same: said.classList.contains('same'),
    };
}
const press = (n, which) => document.querySelectorAll('.live')[n].querySelector('button.' + which).click();
const give = (n, flags) => {
    const input = document.querySelectorAll('.live')[n].querySelector('input');
    input.value = flags;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.focus();
};
const idle = (n) => !document.querySelectorAll('.live')[n].hasAttribute('aria-busy');

async function blocksRun(page, site, build, name) {
    await page.go(path.join(site, name));
    const count = await page.run(() => document.querySelectorAll('.live').length);
    expect(count > 0, name, 'has no block that runs');
    for (let n = 0; n < count; n++) {
        const before = await page.run(blockOf, n);
        if (!before.text && before.flags) continue;  // something to try, which is not in the text
        await page.run(press, n, 'start');
        await page.until(idle, n);
        const after = await page.run(blockOf, n), where = `${name}, block ${n}`;
        expect(after.same, where, `${shown(after.said)} ${shown(after.wrong)}`);
        if (before.text && after.same)
            expect(after.text === before.text, where, firstDifference(after.text, before.text));
        await page.run(press, n, 'reset');
        const again = await page.run(blockOf, n);
        expect(again.text === before.text && !again.said, where, 'a reset leaves something');
    }
}

// Another flag: lines are marked, and Enter runs as the button does. A flag that is none: the program's own sentence.
// What takes long is stopped at once.
async function blockAnswers(page, site, build) {
    const name = '06_multi_head.html', long = '09_what_heads_learn.html', n = 2;
    await page.go(path.join(site, name));
    await page.run(give, n, '--heads 2');
    await page.key('Enter', { text: '\r', number: 13 });
    await page.until(idle, n);
    const other = await page.run(blockOf, n);
    expect(/lines? differs? from the text/.test(other.said), name, `--heads 2: ${shown(other.said)}`);
    await page.run(press, n, 'reset');
    expect((await page.run(blockOf, n)).text !== other.text, name, 'a reset leaves the lines');

    await page.run(give, n, '--heads 5');
    await page.run(press, n, 'start');
    await page.until(idle, n);
    const wrong = await page.run(blockOf, n), here = runHere(build, '06_multi_head', ['--heads', '5']);
    expect(wrong.wrong === here.error, name, `--heads 5: ${shown(wrong.wrong)}, natively ${shown(here.error)}`);
    expect(wrong.said.startsWith(`Ended with ${here.status}`), name, `--heads 5: ${shown(wrong.said)}`);

    await page.go(path.join(site, long));
    await page.run(give, 0, '--train 5000');
    await page.run(press, 0, 'start');
    await new Promise((go) => setTimeout(go, 2000));
    const before = await page.run(blockOf, 0), began = Date.now();
    await page.run(press, 0, 'stop');
    await page.until(idle, 0);
    expect(before.busy && Date.now() - began < 1000, long, 'a run was not stopped in a second');
    expect((await page.run(blockOf, 0)).said.startsWith('Stopped'), long, 'it is not said that a run was stopped');
}

// Chapter 16, whose kernels take turns; and in a browser that cannot leave a function half way: what it prints natively
// without its emulator, with a sentence that says why. A worker is a Blob of two parts.
async function kernelsRun(page, site, build) {
    const name = '16_cuda', at = path.join(site, name + '.html');
    await page.go(at);
    await sameAsHere(page, build, name, ['--d', '128', '--swizzle', '3']);
    await page.go(at);
    await page.run(() => {
        const Plain = window.Blob;
        window.Blob = function (parts, how) {
            return new Plain(parts.length === 2 ? ['delete WebAssembly.Suspending;', ...parts] : parts, how);
        };
    });
    await sameAsHere(page, build, name, [], 'without');
}

module.exports = { sameAsHere, trainingTakes, blocksRun, blockAnswers, kernelsRun };
