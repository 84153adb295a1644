// The book's programs in a page. book.run starts one in a worker of its own, so that the page stays free and a run can
// be stopped. Programs and their files lie in scripts beside this one, which are loaded when they are first needed.
//
//   book.run("06_multi_head", ["--only", "3"], {
//     files:    { "mine.npy": Uint8Array },     // lie in the program's folder before it starts
//     input:    "0.25\n",                       // what it finds to read
//     output:   (text, isError) => …,           // in order, as it writes
//     progress: (line) => …,                    // a bar that it draws on a terminal; "" when the bar goes
//     waits:    () => …,                        // it reads beyond `input`, and the run ends here; without waits there
//                                               // is no more input
//     done:     (status, files) => …,           // what it wrote: { "out/heads.png": Uint8Array }; null: it was stopped
//   })                                          // answers { stop() }
"use strict";

var book = globalThis.book || { };
book.programs ??= { };                             // name: the gzip of its glue and its code, as letters
book.files ??= { };                                // the same of the files that programs read

{
  const here = document.currentScript ? document.currentScript.src.replace(/[^/]*$/, "") : "";
  const FIBERS = /^2[34]_/, KERNELS = /^16_/;      // chapters whose ranks are threads; with kernels of many threads
  const kept = new Map();                          // promises: of scripts, and of what was unpacked

  const once = (key, make) => kept.get(key) ?? kept.set(key, make()).get(key);

  const load = book.load = script => once(script, () => new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = `${here}programs/${script}.js`;
    element.charset = "x-user-defined";              // a letter for each byte (letters.mjs)
    element.onload = resolve;
    element.onerror = () => reject(new Error(`programs/${script}.js is missing beside this page`));
    document.head.append(element);
  }));

  // A plain loop: a call for each of millions of bytes would be most of what a page does before its first picture.
  const unpack = book.unpack = async text => {
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < packed.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  // A program: the worker's script as an address, and the compiled module.
  const program = name => once("program " + name, async () => {
    await load(name);
    const { glue, wasm } = book.programs[name];
    const [script, code] = await Promise.all([unpack(glue), unpack(wasm)]);
    book.programs[name].glue = book.programs[name].wasm = null;          // unpacked: the page needs them no more
    const worker = [script, `(${work})();`];
    return { address: URL.createObjectURL(new Blob(worker)), module: await WebAssembly.compile(code) };
  });

  // Files that programs read, { path: bytes }: book.files[kind] is a list of [path, length] and the bytes of all.
  book.filesOf = kind => once("files " + kind, async () => {
    await load(kind);
    const bytes = await unpack(book.files[kind].bytes), files = { };
    let at = 0;
    for (const [path, length] of book.files[kind].list) files[path] = bytes.subarray(at, at += length);
    delete book.files[kind].bytes;
    return files;
  });

  // ---- in the worker. This function's text is its script, after emscripten's glue, which defines `program`.
  function work() {
    onmessage = ({ data: run }) => {
      const given = new Set(), folder = "/book/", NEWLINE = 10;
      const input = new TextEncoder().encode(run.input);
      let read = 0, status = null;

      const folders = (FS, path) => {
        let at = "";
        for (const part of path.split("/").slice(1, -1)) {
          at += "/" + part;
          if (!FS.analyzePath(at).exists) FS.mkdir(at);
        }
      };
      const place = (FS, path, bytes) => {
        folders(FS, path);
        FS.writeFile(path, bytes);
        given.add(path);
      };

      // 0 reads what was given; 1 is no terminal, 2 is one: so there are bars.
      const streams = FS => {
        FS.init(() => null, () => { }, () => { });

        // A line at a time, as a terminal gives them: who asks for more than there is has not yet seen the last one.
        const take = (to, buffer, offset, length) => {
          let n = 0;
          if (read === input.length && run.waits) {
            postMessage({ waits: true });
            for (;;);                              // the page ends this worker
          }
          while (n < length && read < input.length && (!n || input[read - 1] !== NEWLINE))
            buffer[offset + n++] = input[read++];
          return n;
        };
        const stream = FS.getStream(0);
        stream.stream_ops = { ...stream.stream_ops, read: take };
        for (const n of [1, 2]) {
          const stream = FS.getStream(n);
          const write = (to, buffer, offset, length) => {
            postMessage({ bytes: buffer.slice(offset, offset + length), isError: n === 2 });
            return length;
          };
          stream.stream_ops = { ...stream.stream_ops, write };
          if (n === 2) stream.tty = { };
        }
      };

      const written = (FS, at, files) => {
        for (const name of FS.readdir(at)) {
          const path = at + name;
          if (name === "." || name === "..") continue;
          if (FS.isDir(FS.stat(path).mode)) written(FS, path + "/", files);
          else if (!given.has(path)) files[path.slice(folder.length)] = FS.readFile(path);
        }
        return files;
      };

      // Chapter 16's threads, and its program, which waits for them: each leaves its stack by kernels_switch
      // (contexts_page.cpp) and comes back when it is its turn. callMain is told that the program goes on; its end is
      // `over`.
      const HOST = -1, waiting = new Map();
      let over = null, begin, start;
      const turns = (from, to, begins) => {
        const back = new Promise((resolve, reject) => waiting.set(from, { resolve, reject }));
        if (begins) Promise.resolve().then(() => begin(to)).catch(error => waiting.get(HOST).reject(error));
        else waiting.get(to).resolve();
        return back;
      };
      const inTurns = (imports, receive) => {
        imports.env.kernels_switch = new WebAssembly.Suspending(turns);
        const { exports } = new WebAssembly.Instance(run.module, imports);
        begin = WebAssembly.promising(exports.kernels_begin);
        start = WebAssembly.promising(exports.main);
        const main = (...given) => { over = start(...given); throw "unwind"; };
        receive({ exports: { ...exports, main } });
        return { };
      };
      const plain = (imports, receive) => receive(new WebAssembly.Instance(run.module, imports)) ?? { };

      const module = {
        thisProgram: run.program,
        noInitialRun: true,
        instantiateWasm: run.inTurns && WebAssembly.Suspending ? inTurns : plain,
        preRun: [({ FS }) => {
          streams(FS);
          folders(FS, folder + run.program);
          folders(FS, folder + "out/");
          for (const [path, bytes] of Object.entries(run.files))
            place(FS, path[0] === "/" ? path : folder + path, bytes);
          FS.chdir(folder);
        }],
        onExit: code => { status = code; },
      };
      const end = made => postMessage({ status, files: written(made.FS, folder, { }) });
      program(module).then(async made => {
        let returned;
        try {
          returned = made.callMain(run.args);
          if (over) returned = await over;
        } catch (error) {
          if (status === null && error instanceof WebAssembly.RuntimeError) status = 134;      // it gave up: SIGABRT
          if (status === null) throw error;
        }
        status ??= returned;
        end(made);
      });
    };
  }

  // ---- in the page

  // Tells bars from sentences. A bar begins with \r; it has gone with its \n, or when only blanks are left of it.
  const barsOf = (output, progress) => {
    let bar = null;
    const done = () => { bar = null; progress?.(""); };
    return text => {
      for (const part of text.split(/(?=\r)|(?<=\n)/)) {
        if (part[0] === "\r") {
          if (bar !== null && !bar.trim()) done();
          bar = part.slice(1);
          if (part === "\r" ) continue;
        } else if (bar !== null && !(bar === "" )) bar += part;
        else if (bar !== null) bar = null, output(part, true);
        else { output(part, true); continue; }
        if (bar === null) continue;
        if (bar.endsWith("\n")) done();
        else progress?.(bar.trimEnd());
      }
    };
  };

  book.run = (name, args, { files, input, output, progress, waits, done } = { }) => {
    let worker, over = false;
    const end = (...said) => {
      if (over) return;
      over = true;
      worker?.terminate();
      done?.(...said);
    };
    const say = (text, isError) => { if (!over && text) output?.(text, isError); };
    const texts = [false, true].map(() => new TextDecoder());
    const errors = barsOf(say, line => { if (!over) progress?.(line); });

    const receive = ({ data }) => {
      if (over) return;
      if (data.bytes) {
        const text = texts[+data.isError].decode(data.bytes, { stream: true });
        if (data.isError) errors(text);
        else say(text, false);
      } else if (data.waits) {
        over = true;
        worker.terminate();
        waits();
      } else end(data.status, data.files);
    };

    const start = async () => {
      const path = /^\d/.test(name) ? "build/chapters/" : name === "models" ? "build/pages/" : "build/";
      const which = FIBERS.test(name) ? "ranks" : "book", loaded = program(which);
      await load(which);
      const [{ address, module }, data, fonts] = await Promise.all([
        loaded,
        book.programs[which].reads.includes(name) ? book.filesOf("data") : { },
        args.includes("--figures") ? book.filesOf("fonts") : { },
      ]);
      if (over) return;
      worker = new Worker(address);
      worker.onmessage = receive;
      worker.onerror = event => {
        event.preventDefault();
        say(`${path}${name}: ${event.message}\n`, true);
        end(1, { });
      };
      worker.postMessage({
        program: path + name, inTurns: KERNELS.test(name), args, module, input: input ?? "", waits: Boolean(waits),
        files: { ...data, ...fonts, ...files },
      });
    };
    start().catch(error => { say(`${error.message}\n`, true); end(1, { }); });
    return { stop: () => end(null, { }) };
  };
}
