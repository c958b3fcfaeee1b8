// Covers pins for Python, from PyPI and unmodified.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClients, startPython, titled, type PythonSession } from './clients.ts';

const clients = await findClients();

describe.skipIf(clients.whyNot !== null)(titled('pins for Python', clients), () => {
  let server: TestServer;
  let owner: Person;
  let home: string;
  let python: PythonSession;
  const run = (source: string) => python.run(source);

  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.person('publisher', { username: 'grace' });
    home = await mkdtemp(join(tmpdir(), 'pins-'));
    python = startPython(clients, home);
    await run(`import os, pathlib, pandas, pins
from pins.rsconnect.fs import PinBundleManifest
os.chdir(os.environ["HOME"])
board = pins.board_connect(server_url="${server.url}", api_key="${owner.key}")
api = board.fs.api
local = pins.board_folder("local")`);
  });
  afterAll(async () => {
    await python[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  /** Writes a pin to a directory and deploys that to the content item as a new version. */
  async function write(values: string): Promise<void> {
    await run(`local.pin_write(pandas.DataFrame({"a": ${values}}), "numbers", type="csv")
version = local.pin_versions("numbers", as_df=False)[-1].version
directory = pathlib.Path("local/numbers") / version
(directory / "index.html").write_text("<p>numbers</p>")
PinBundleManifest.add_manifest_to_directory(directory)
bundle = api.post_content_bundle(item["guid"], str(directory))
task = api.poll_tasks(api.post_content_item_deploy(item["guid"], bundle["id"])["task_id"])`);
    expect(await run('task')).toMatchObject({ finished: true, code: 0 });
  }

  test('by name: writes, finds, reads and deletes a pin and its versions', async () => {
    await run('board.pin_write(pandas.DataFrame({"a": [1]}), "grace/table", type="csv", title="A table")');
    await run('board.pin_write(pandas.DataFrame({"a": [2, 3]}), "grace/table", type="csv")');
    expect(await run('board.pin_exists("grace/table")')).toBe(true);
    expect(await run('list(board.pin_search("table")["name"])')).toEqual(['grace/table']);
    expect(await run('list(board.pin_read("grace/table")["a"])')).toEqual([2, 3]);
    await run('first = board.pin_versions("grace/table", as_df=False)[0].version');
    expect(await run('list(board.pin_read("grace/table", version=first)["a"])')).toEqual([1]);
    expect(await run('board.pin_meta("grace/table", version=first).title')).toBe('A table');
    await run('board.pin_version_delete("grace/table", first)');
    expect(await run('len(board.pin_versions("grace/table"))')).toBe(1);
    await run('board.pin_delete("grace/table")');
    expect(await run('board.pin_list()')).toEqual([]);
  });

  test('writes, lists, reads and deletes pins, and reads an old version', async () => {
    await run('item = api.post_content_item("numbers", "all", title="Some numbers")');
    await write('[1, 2, 3]');
    const first = await run('bundle["id"]');
    const guid = await run('item["guid"]');
    expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject({
      title: 'Some numbers',
      content_category: 'pin',
      owner_guid: owner.guid,
      bundle_id: first,
    });
    expect(await run('board.pin_list()')).toEqual(['grace/numbers']);
    expect(await run(`[one["name"] for one in api.get_content("${owner.guid}", "numbers")]`)).toEqual([
      'numbers',
    ]);

    const read = async (path: string) =>
      (await server.anonymous('GET', `//content/${guid}/${path}numbers.csv`)).bytes.toString();
    expect(await read('')).toBe('a\n1\n2\n3\n');
    await write('[2, 4, 6]');
    expect(await read('')).toBe('a\n2\n4\n6\n');
    expect(await read(`_rev${first}/`)).toBe('a\n1\n2\n3\n');
    expect(await run('len(api.get_content_bundles(item["guid"]))')).toBe(2);
    await run(`api.misc_get_content_bundle_file(item["guid"], "${first}", "data.txt", "meta.txt")`);
    expect(await run('"numbers.csv" in open("meta.txt").read()')).toBe(true);

    await run(`api.delete_content_bundle(item["guid"], "${first}")`);
    expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(1);
    await run('api.delete_content_item(item["guid"])');
    expect((await owner.call('GET', '/v1/content')).body).toEqual([]);
    expect(await run('board.pin_list()')).toEqual([]);
  });

  test('a wrong key returns the server’s error code', async () => {
    await run(`wrong = pins.board_connect(server_url="${server.url}", api_key="nonsense")`);
    await expect(run('wrong.pin_list()')).rejects.toThrow(
      "{'code': 24, 'error': 'Operation requires authentication'",
    );
  });
});
