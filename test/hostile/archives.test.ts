// Covers hostile uploads: the receiver or the extraction refuses each with its code, and nothing is left.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ApiError } from '@pressroom/api/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extractBundle, receiveBundle } from '../../packages/server/src/bundles/archive/index.ts';
import { corpus, CORPUS_LIMITS } from './corpus.ts';
import { bundleWith } from './tar-bytes.ts';

const limits = CORPUS_LIMITS;
let outer: string;
let inner: string;

beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'pressroom-hostile-'));
  inner = join(outer, 'a', 'b', 'site');
  await mkdir(join(outer, 'a', 'b'), { recursive: true });
});

afterEach(() => rm(outer, { recursive: true }));

/** Lists all files and directories below the test's directory. */
async function everything(): Promise<string[]> {
  return (await readdir(outer, { recursive: true })).toSorted();
}

/** Returns the error, which must be an ApiError without a path of the server. */
async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => new Error('was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error;
  expect(error.message).not.toContain(outer);
  // oxlint-disable-next-line no-control-regex
  expect(error.message).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  return error;
}

/** Receives a body in these pieces, which leaves nothing. Returns the code of the refusal. */
async function refusedCode(
  pieces: readonly Buffer[],
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const before = await everything();
  const declared = headers['content-length'];
  const receiving = receiveBundle({
    source: Readable.from(pieces),
    file: join(outer, 'upload'),
    declaredLength: declared === undefined ? undefined : Number(declared),
    checksum: headers['x-content-checksum'],
    limits,
  });
  const { code } = await refusal(receiving);
  expect(await everything()).toEqual(before);
  return code;
}

describe('Hostile corpus', () => {
  it('has at least sixty archives with unique names', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  });

  it('the bundle that its archives are based on is valid', async () => {
    const file = join(outer, 'upload');
    const bytes = bundleWith();
    const { manifest } = await receiveBundle({ source: Readable.from([bytes]), file, limits });
    expect(manifest.appmode).toBe('static');
    await extractBundle({ file, directory: inner, limits });
    expect(await readdir(inner)).toEqual(['index.html', 'manifest.json']);
  });

  it.each(corpus)('receiving $name → $code', async ({ bytes, code, headers = {} }) => {
    const body = await bytes();
    expect(await refusedCode(body.length === 0 ? [] : [body], headers)).toBe(code);
  });

  it.each(corpus)('receiving $name in small pieces → $code', async ({ bytes, code, headers = {} }) => {
    const body = await bytes();
    const step = body.length < 3000 ? 1 : 7001;
    const pieces = Array.from({ length: Math.ceil(body.length / step) }, (_, i) =>
      body.subarray(i * step, (i + 1) * step),
    );
    expect(await refusedCode(pieces, headers)).toBe(code);
  });

  it.each(corpus.filter(({ code, name }) => code === 135 && name !== 'transfer: larger than the limit'))(
    'extracting $name → 135',
    async ({ bytes }) => {
      const file = join(outer, 'stored');
      await writeFile(file, await bytes());
      const before = await everything();
      const error = await refusal(extractBundle({ file, directory: inner, limits }));
      expect(error.code).toBe(135);
      expect(await everything()).toEqual(before);
      await expect(readdir('/tmp')).resolves.not.toContain('pressroom-pwned');
    },
  );
});
