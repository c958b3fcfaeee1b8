import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { uploadForm } from './multipart.ts';

test('a form has the archive byte for byte, and the metadata', async () => {
  const archive = Buffer.from([0x1f, 0x8b, 0, 255, 13, 10, 45, 45]);
  const metadata = { source: 'git', source_branch: 'größe"\r\n' };
  const { stream, contentType, overhead } = uploadForm(Readable.from([archive]), metadata);
  const body = await buffer(stream);
  expect(body.length).toBe(archive.length + overhead);
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  const file = form.get('archive') as File;
  expect(Buffer.from(await file.arrayBuffer()).equals(archive)).toBe(true);
  expect(JSON.parse(form.get('metadata') as string)).toEqual(metadata);
});

test('a failure of the archive is that of the form', async () => {
  const broken = async function* () {
    yield Buffer.from('a');
    throw new Error('changed');
  };
  await expect(buffer(uploadForm(Readable.from(broken()), {}).stream)).rejects.toThrow('changed');
});
