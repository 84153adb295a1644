// A real Chromium, driven over a pair of pipes: pages are opened, scripts run in them, keys and fingers sent to them.
// What a page asks of a network and what it says on its console is kept.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const LIMIT = 120000;                                // ms, for what must come

class Browser {
    static open() { return new Browser(); }

    constructor() {
        this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'site-'));
        const flags = ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
            '--force-color-profile=srgb', '--disable-dev-shm-usage', `--user-data-dir=${this.home}`, 'about:blank'];
        this.process = spawn(process.env.CHROMIUM || 'chromium', flags,
                             { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
        this.process.on('error', (error) => this.end(error));
        this.process.on('exit', () => this.end(new Error('the browser has ended')));
        this.waiting = new Map();
        this.pages = new Map();
        this.asked = 0;
        this.rest = Buffer.alloc(0);
        this.process.stdio[3].on('error', () => {});
        this.process.stdio[4].on('data', (bytes) => this.read(bytes));
    }

    end(error) {
        this.ended = error;
        for (const { reject } of this.waiting.values()) reject(error);
        this.waiting.clear();
    }

    read(bytes) {
        this.rest = Buffer.concat([this.rest, bytes]);
        for (let end; (end = this.rest.indexOf(0)) >= 0; this.rest = this.rest.subarray(end + 1))
            this.heard(JSON.parse(this.rest.toString('utf8', 0, end)));
    }

    heard(message) {
        const waits = this.waiting.get(message.id);
        if (!waits) return this.pages.get(message.sessionId)?.heard(message);
        this.waiting.delete(message.id);
        if (message.error) waits.reject(new Error(`${waits.method}: ${message.error.message}`));
        else waits.resolve(message.result);
    }

    ask(method, params = {}, sessionId = undefined) {
        if (this.ended) return Promise.reject(this.ended);
        const id = ++this.asked;
        this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
        return new Promise((resolve, reject) => this.waiting.set(id, { method, resolve, reject }));
    }

    async page(width = 1000, height = 800) {
        const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await this.ask('Target.attachToTarget', { targetId, flatten: true });
        const page = new Page(this, sessionId, targetId);
        this.pages.set(sessionId, page);
        for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'Inspector']) await page.ask(`${domain}.enable`);
        await page.ask('Network.emulateNetworkConditions',
                       { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
        await page.size(width, height);
        return page;
    }

    async close() {
        await this.ask('Browser.close').catch(() => {});
        if (this.process.exitCode === null) await new Promise((resolve) => this.process.on('exit', resolve));
        fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
    }
}

class Page {
    constructor(browser, session, target) {
        Object.assign(this, { browser, session, target, said: [], requests: [], awaited: [] });
    }

    ask(method, params) { return this.browser.ask(method, params, this.session); }
    close() { return this.browser.ask('Target.closeTarget', { targetId: this.target }); }

    heard({ method, params }) {
        this.awaited = this.awaited.filter((wait) => wait.method !== method || wait.resolve(params));
        if (method === 'Runtime.consoleAPICalled')
            this.said.push(params.args.map((a) => a.value ?? a.description).join(' '));
        if (method === 'Runtime.exceptionThrown')
            this.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === 'Log.entryAdded') this.said.push(params.entry.text);
        if (method === 'Inspector.targetCrashed') this.said.push('the page crashed');
        if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    }

    once(method) { return new Promise((resolve) => this.awaited.push({ method, resolve })); }

    async size(width, height, pixels = 1, touch = false) {
        await this.ask('Emulation.setDeviceMetricsOverride',
                       { width, height, deviceScaleFactor: pixels, mobile: touch });
        await this.ask('Emulation.setTouchEmulationEnabled', { enabled: touch });
    }

    async media(features, media = '') {
        await this.ask('Emulation.setEmulatedMedia', {
            media, features: Object.entries(features).map(([name, value]) => ({ name, value })) });
    }

    async go(file) {
        const there = this.once('Page.loadEventFired');
        const { errorText } = await this.ask('Page.navigate', { url: 'file://' + file });
        if (errorText) throw new Error(`${file}: ${errorText}`);
        await there;
    }

    // A function of the page's, with arguments that JSON can say; its value, or that of its promise.
    async run(what, ...given) {
        const { result, exceptionDetails } = await this.ask('Runtime.evaluate', {
            expression: `(${what})(...${JSON.stringify(given)})`, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async until(what, ...given) {
        for (const began = Date.now(); Date.now() - began < LIMIT; await new Promise((go) => setTimeout(go, 20))) {
            const value = await this.run(what, ...given);
            if (value) return value;
        }
        throw new Error(`did not come in ${LIMIT / 1000} s: ${what}`);
    }

    async key(name, { code = name, text = undefined, modifiers = 0, number = 0 } = {}) {
        const common = { key: name, code, modifiers, windowsVirtualKeyCode: number };
        await this.ask('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...common });
        await this.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
    }

    async type(words) {
        const number = (letter) => (/[a-z0-9]/i.test(letter) ? letter.toUpperCase().charCodeAt(0) : 0);
        for (const text of words) await this.key(text, { text, number: number(text) });
    }

    async mouse(type, x, y, button = 'none') {
        await this.ask('Input.dispatchMouseEvent', { type, x, y, button, clickCount: button === 'none' ? 0 : 1 });
    }

    async click(x, y) {
        await this.mouse('mouseMoved', x, y);
        await this.mouse('mousePressed', x, y, 'left');
        await this.mouse('mouseReleased', x, y, 'left');
    }

    touch(type, points) { return this.ask('Input.dispatchTouchEvent', { type, touchPoints: points }); }

    async screenshot(file) {
        const { data } = await this.ask('Page.captureScreenshot', { format: 'png' });
        fs.writeFileSync(file, Buffer.from(data, 'base64'));
    }
}

module.exports = { Browser };
