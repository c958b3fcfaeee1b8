// Packing speed compared with `tar cz` on the same files in the same run. `node test/perf/pack.bench.ts`
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { buildManifest, collectFiles, detectContent, packBundle } from '@pressroom/api/publish';

const MIB = 1024 * 1024;
/** Runs per side; the fastest counts, to exclude other load. */
const RUNS = 3;

const WORKSPACES: Readonly<Record<string, (dir: string) => void>> = {
  '200 MB workspace': writeBigWorkspace,
  '50,000 small files': writeSmallFiles,
};

interface Figures {
  /** Seconds of the fastest run. */
  collect: number;
  manifest: number;
  pack: number;
  /** Longest pause of the event loop in any run while packing, milliseconds, excluding the timer's own 1 ms. */
  stall: number;
  /** Bytes of the archive. */
  size: number;
  /** Peak memory of each run, MiB: a publish is the first one of its process. */
  resident: number[];
}

async function packBench(): Promise<void> {
  const work = mkdtempSync(path.join(tmpdir(), 'pressroom-bench-'));
  try {
    for (const name of Object.keys(WORKSPACES)) {
      const dir = path.join(work, name.replaceAll(/\W+/g, '-'));
      // In a separate process: the heap of writing must not be measured.
      await promisify(execFile)(process.execPath, [import.meta.filename, name, dir]);
      const tar = await timeTar(dir);
      const ours = await timePack(dir);
      const all = ours.collect + ours.manifest + ours.pack;
      const lines = [
        `${name}: packBundle / tar cz = ${(ours.pack / tar.seconds).toFixed(2)} (${ours.pack.toFixed(2)} s / ${tar.seconds.toFixed(2)} s)`,
        `${name}: collect + manifest + pack / tar cz = ${(all / tar.seconds).toFixed(2)} (${ours.collect.toFixed(2)} + ${ours.manifest.toFixed(2)} + ${ours.pack.toFixed(2)} s)`,
        `${name}: archive / tar cz archive = ${(ours.size / tar.size).toFixed(2)} (${(ours.size / MIB).toFixed(0)} MiB)`,
        `${name}: longest event-loop stall while packing = ${ours.stall.toFixed(0)} ms (goal 50); resident ${ours.resident.map((most) => most.toFixed(0)).join(', ')} MiB`,
      ];
      console.log(lines.join('\n'));
      rmSync(dir, { recursive: true });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function timeTar(dir: string): Promise<{ seconds: number; size: number }> {
  const runs: { seconds: number; size: number }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const tar = spawn('tar', ['cz', '-C', dir, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(tar, 'close');
    const size = await drain(tar.stdout);
    await ended;
    runs.push({ seconds: (performance.now() - began) / 1000, size });
  }
  return runs.toSorted((a, b) => a.seconds - b.seconds)[0] as { seconds: number; size: number };
}

async function timePack(dir: string): Promise<Figures> {
  const best: Figures = {
    collect: Infinity,
    manifest: Infinity,
    pack: Infinity,
    stall: 0,
    size: 0,
    resident: [],
  };
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const { files } = await collectFiles(dir);
    const [content] = await detectContent(dir, files);
    const collected = performance.now();
    if (content === undefined) throw new Error('the generated workspace is not recognised');
    const { manifest } = await buildManifest({ root: dir, files, content });
    const built = performance.now();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    let resident = 0;
    const onProgress = () => (resident = Math.max(resident, process.memoryUsage.rss() / MIB));
    const { stream, done } = packBundle({ root: dir, files, manifest, onProgress });
    await drain(stream);
    best.resident.push(resident);
    best.size = (await done).size;
    delay.disable();
    best.collect = Math.min(best.collect, (collected - began) / 1000);
    best.manifest = Math.min(best.manifest, (built - collected) / 1000);
    best.pack = Math.min(best.pack, (performance.now() - built) / 1000);
    best.stall = Math.max(best.stall, delay.max / 1e6 - 1);
  }
  return best;
}

async function drain(stream: NodeJS.ReadableStream): Promise<number> {
  let size = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done();
    },
  });
  await pipeline(stream, sink);
  return size;
}

/** 140 MB of CSV and 60 MB of incompressible bytes, like images and Parquet. The same in every run. */
function writeBigWorkspace(dir: string): void {
  const random = generator(1);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'index.html'), '<h1>bench</h1>');
  for (let file = 0; file < 14; file += 1)
    writeFileSync(path.join(dir, `t${file}.csv`), csv(random, 10_000_000));
  for (let file = 0; file < 6; file += 1) {
    const words = Uint32Array.from({ length: 2_500_000 }, () => random() * 2 ** 32);
    writeFileSync(path.join(dir, `b${file}.bin`), Buffer.from(words.buffer));
  }
}

/** 250 directories of 200 files of one to two kilobytes. */
function writeSmallFiles(dir: string): void {
  const random = generator(2);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'index.html'), '<h1>bench</h1>');
  for (let directory = 0; directory < 250; directory += 1) {
    mkdirSync(path.join(dir, `d${directory}`));
    for (let file = 0; file < 200; file += 1) {
      writeFileSync(path.join(dir, `d${directory}`, `f${file}.csv`), csv(random, 600 + random() * 1200));
    }
  }
}

function csv(random: () => number, bytes: number): string {
  const kinds = ['Coffee', 'Lemonade', 'Tea', 'Cocoa'];
  const lines: string[] = [];
  for (let size = 0; size < bytes;) {
    const line = `2024-0${1 + Math.floor(random() * 9)},${kinds[Math.floor(random() * 4)]},${(random() * 100).toFixed(2)},${(random() * 1000).toFixed(3)},${Math.floor(random() * 5000)},note ${Math.floor(random() * 50)}\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join('');
}

/** Pseudo-random numbers from 0 to 1, the same in every run (a 32-bit mixing generator). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

if (import.meta.main) {
  const [name = '', dir] = process.argv.slice(2);
  if (dir === undefined) await packBench();
  else WORKSPACES[name]?.(dir);
}
