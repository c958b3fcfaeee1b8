// Covers the commands that manage content with a real server: list, share, unshare, tags, rename, delete, completion.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArchive, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands/index.ts';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let server: TestServer;
let owner: Person;
let reader: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  reader = await server.person('publisher', { email: 'reader@example.com' });
});
afterAll(() => server[Symbol.asyncDispose]());

async function pressroom(args: string[], { person = owner, input = '' } = {}) {
  const env = { CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key, HOME: server.dataDir };
  const { code, stdout: out, stderr: said } = await runHere(args, { env, cwd: server.dataDir, input });
  return { code, out, said };
}

async function makeContent(title: string): Promise<string> {
  const { guid } = await publish(owner, { 'index.html': '<p>' });
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { title, access_type: 'acl' } });
  return guid;
}

test('list shows visible content, filtered by title or owner', async () => {
  const guid = await makeContent('Quarterly figures');
  const { code, out } = await pressroom(['list', 'QUARTERLY']);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`Quarterly figures +Web page +owner +\\S+Z +${guid}`));
  expect((await pressroom(['list', 'quarterly'], { person: reader })).out).not.toContain(guid);
  const { name } = (await owner.call('GET', `/v1/content/${guid}`)).body;
  expect((await pressroom(['list', '--names', 'quarterly'])).out).toBe(`${name}\n`);
  expect(JSON.parse((await pressroom(['list', '--names', 'quarterly', '--json'])).out)).toEqual([name]);
  const own = JSON.parse((await pressroom(['list', '--mine', '--json'], { person: reader })).out);
  expect(own).toEqual([]);
});

test('path shows, sets, takes over and removes the custom path, which status shows', async () => {
  const [guid, other] = [await makeContent('Sales'), await makeContent('Sales of last year')];
  const run = (...args: string[]) => pressroom(['path', ...args, '--content', guid]);
  expect((await run()).said).toContain('no custom path');
  const { code, out } = await run('team/sales');
  expect([code, out]).toEqual([0, `${server.url}/team/sales/\n`]);
  expect((await fetch(out.trim(), { headers: { authorization: `Key ${owner.key}` } })).status).toBe(200);
  expect(JSON.parse((await run('--json')).out)).toEqual({ path: '/team/sales/', url: out.trim() });
  expect((await pressroom(['status', guid])).out).toMatch(`Custom path     ${out}`);
  expect(JSON.parse((await pressroom(['status', guid, '--json'])).out)).toMatchObject({
    path: '/team/sales/',
  });
  const taken = await pressroom(['path', '/team/sales/', '--content', other]);
  expect(taken).toMatchObject({ code: 3, said: expect.stringContaining('with force') });
  expect(await pressroom(['path', '/team/sales/', '--force', '--content', other])).toMatchObject({ code: 0 });
  expect((await run()).said).toContain('no custom path');
  await run('sales');
  expect(await run('--remove')).toMatchObject({ code: 0, said: expect.stringContaining('no custom path') });
  expect((await pressroom(['status', guid])).out).not.toContain('Custom path');
  expect(await run('/')).toMatchObject({ code: 2, said: expect.stringContaining('--remove') });
  expect(await run('a b')).toMatchObject({ code: 3, said: expect.stringContaining('only letters') });
  expect(await pressroom(['path', '--content', randomUUID()])).toMatchObject({ code: 3 });
});

test('the address that path prints names the content in every command, also with a page after it', async () => {
  const guid = await makeContent('Sales figures');
  const { url } = JSON.parse((await pressroom(['path', '/Sales/2026/', '--content', guid, '--json'])).out);
  for (const address of [url, url.slice(0, -1), `${url}page.html?x=1#top`, url.toLowerCase()])
    expect(JSON.parse((await pressroom(['status', address, '--json'])).out), address).toMatchObject({
      content: { guid },
    });
  expect(await pressroom(['status', url.replace('2026', '2027')])).toMatchObject({ code: 2 });
});

test('download writes the archive of a bundle to a new file, from which the same is published again', async () => {
  const { guid } = await publish(owner, { 'index.html': '<p>first', 'data/a.csv': '1' });
  await publish(owner, { 'index.html': '<p>second' }, { guid });
  const [first, live] = (await owner.call('GET', `/v1/content/${guid}/bundles`)).body;
  const { name } = (await owner.call('GET', `/v1/content/${guid}`)).body;
  const file = join(server.dataDir, `${name}-${live.id}.tar.gz`);
  const { code, out } = await pressroom(['download', guid, '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { file, bytes: live.size, bundle_id: live.id }]);
  const kept = await owner.call('GET', `/v1/content/${guid}/bundles/${live.id}/download`);
  expect((await readFile(file)).equals(kept.bytes)).toBe(true);
  const again = await pressroom(['download', guid]);
  expect(again).toMatchObject({ code: 2, said: expect.stringContaining(`${file} exists.`) });

  const older = ['download', guid, '--bundle', first.id, '--file', 'first.tar.gz'];
  expect((await pressroom(older)).out).toMatch(/^Downloaded bundle \d+ to .*first\.tar\.gz/);
  const copy = join(server.dataDir, 'copy');
  await mkdir(copy);
  execFileSync('tar', ['-xzf', join(server.dataDir, 'first.tar.gz'), '-C', copy]);
  const published = JSON.parse((await pressroom(['deploy', copy, '--json'])).out.trim().split('\n').at(-1)!);
  const page = await owner.call('GET', `/${new URL(published.url).pathname}`);
  expect(String(page.bytes)).toBe('<p>first');

  expect(await pressroom(['download', guid, '--bundle', '999999'])).toMatchObject({ code: 3 });
  expect(await pressroom(['download', guid, '--file', 'nowhere/a'])).toMatchObject({
    code: 2,
    said: expect.stringContaining('There is no directory'),
  });
  const empty = (await owner.call('POST', '/v1/content', { body: { name: 'empty' } })).body.guid;
  expect(await pressroom(['download', empty])).toMatchObject({
    code: 2,
    said: expect.stringContaining('No bundle is live.'),
  });
});

test('a deploy in a pipeline reports its commit to servers that keep it', async () => {
  const dir = join(server.dataDir, 'pipeline');
  await mkdir(dir);
  await writeFile(join(dir, 'index.html'), '<p>');
  const sha = '0123456789abcdef0123456789abcdef01234567';
  const pipeline = {
    CI_COMMIT_SHA: sha,
    CI_COMMIT_BRANCH: 'main',
    CI_PROJECT_URL: 'https://example.com/sales',
  };
  const deploy = async (to: { url: string }, person: Person) => {
    const env = { ...pipeline, CONNECT_SERVER: to.url, CONNECT_API_KEY: person.key, HOME: server.dataDir };
    const { code, stderr } = await runHere(['deploy', dir], { env, cwd: server.dataDir });
    expect(code, stderr).toBe(0);
    const [{ guid }] = (await person.call('GET', '/v1/content?name=pipeline')).body;
    return (await person.call('GET', `/v1/content/${guid}/bundles`)).body[0].metadata;
  };
  expect(await deploy(server, owner)).toMatchObject({
    source_commit: sha,
    source_branch: 'main',
    source_repo: 'https://example.com/sales',
  });
  expect((await pressroom(['bundles', 'pipeline'])).out).toContain('0123456789');
  await using older = await startTestServer({ settings: { 'API.Version': '2022.11.0' } });
  expect(await deploy(older, await older.person('publisher'))).not.toHaveProperty('source_commit');
});

test('a deploy from a Git working tree reports its commit, and never what signs in to the remote', async () => {
  const dir = join(server.dataDir, 'tree');
  await mkdir(dir);
  await writeFile(join(dir, 'index.html'), '<p>');
  const env = { PATH: process.env['PATH'], HOME: server.dataDir };
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      env,
    });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'https://ada:s3cret@example.com/acme/tree.git');
  git('add', '.');
  git('commit', '-qm', 'x');
  const sha = git('rev-parse', 'HEAD').toString().trim();
  const deploy = async () => {
    const connected = { ...env, CONNECT_SERVER: server.url, CONNECT_API_KEY: owner.key };
    const { code, stderr } = await runHere(['deploy', 'tree'], { env: connected, cwd: server.dataDir });
    expect(code, stderr).toBe(0);
    const [{ guid }] = (await owner.call('GET', '/v1/content?name=tree')).body;
    return (await owner.call('GET', `/v1/content/${guid}/bundles`)).body.at(-1).metadata;
  };
  const clean = await deploy();
  expect(clean).toMatchObject({ source_commit: sha, source_branch: 'main' });
  expect(clean.source_repo).toBe('https://example.com/acme/tree.git');
  await writeFile(join(dir, 'index.html'), '<p>changed');
  expect(await deploy()).toMatchObject({ source_commit: `${sha}-dirty` });
});

test('rollback goes to the bundle that was live before, not to one that was only uploaded', async () => {
  const { guid } = await publish(owner, { 'index.html': 'one' });
  const upload = async (text: string) => {
    const raw = makeArchive({ 'index.html': text });
    return (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id as string;
  };
  const active = async () => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id as string;
  const first = await active();
  const uploaded = await upload('two');
  const newest = await upload('three');
  expect(await pressroom(['rollback', newest, '--content', guid])).toMatchObject({ code: 0 });
  expect(await active()).toBe(newest);
  const listed = (await pressroom(['deploys', guid])).out;
  const [, task] = new RegExp(`^\\* +${newest} +\\S+ +(\\S{16}) +succeeded$`, 'm').exec(listed) ?? [];
  expect((await pressroom(['logs', task!])).out).toContain('Activated');
  // Nothing runs a web page: its output is that of its deploys.
  expect((await pressroom(['logs', guid])).said).toContain('To list its deploys and their tasks, run: ');
  expect((await pressroom(['changes', guid])).out).toContain(`Bundle ${first} to bundle ${newest}:`);
  expect((await pressroom(['rollback', '--content', guid])).said).toContain(`to bundle ${first}, `);
  expect(await active()).toBe(first);
  expect(await pressroom(['rollback', '--content', guid])).toMatchObject({
    code: 2,
    said: expect.stringContaining(`There is no bundle before the active bundle ${first}.`),
  });
  const { out } = await pressroom(['rollback', newest, '--content', guid, '--json']);
  expect(JSON.parse(out.split('\n')[0]!)).toEqual({
    type: 'deploy',
    guid,
    bundle_id: newest,
    task_id: expect.any(String),
  });
  await owner.call('DELETE', `/v1/content/${guid}/bundles/${first}`);
  expect(await pressroom(['rollback', '--content', guid])).toMatchObject({
    code: 2,
    said: expect.stringContaining(`No bundle before the active bundle ${newest} was live.`),
  });
  expect(await pressroom(['rollback', uploaded, '--content', guid])).toMatchObject({ code: 0 });
});

test('a bundle or process that is misspelled is not mistaken for deleted content', async () => {
  const { guid } = await publish(owner, { 'index.html': 'one' });
  for (const [args, list] of [
    [['release', guid, '--bundle', '9999'], 'bundles'],
    [['download', guid, '--bundle', '9999'], 'bundles'],
    [['activate', '9999', '--content', guid], 'bundles'],
    [['processes', guid, '--log', 'absent'], 'processes'],
    [['logs', guid, '--process', 'absent'], 'processes'],
  ] as const)
    expect(await pressroom([...args]), args.join(' ')).toMatchObject({
      code: 3,
      said: expect.stringMatching(new RegExp(`\\nTo list its ${list}, run: pressroom ${list} ${guid}\\n$`)),
    });
  await owner.call('DELETE', `/v1/content/${guid}`);
  expect(await pressroom(['activate', '9999', '--content', guid])).toMatchObject({
    code: 3,
    said: expect.stringContaining('It was deleted'),
  });
});

test('changes compares the newest bundle with the active one, or the named bundles', async () => {
  const { guid } = await publish(owner, { 'index.html': 'one\ntwo\n', 'same.txt': 'x' });
  expect(await pressroom(['changes', guid, '--since', '999'])).toMatchObject({
    code: 2,
    said: expect.stringContaining('has no bundle 999'),
  });
  const raw = makeArchive({ 'index.html': 'one\n\u001b[31m2\n', 'same.txt': 'x', 'new.txt': 'n\n' });
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
  const { code, out } = await pressroom(['changes', guid]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Bundle \d+ to bundle \d+:\n {2}changed {2}index.html \(\+1 -1\)\n {2}added {4}new.txt \(\+1 -0\)\n1 file is the same.\n\nindex.html\n one\n-two\n\+\[31m2\n\nnew.txt\n\+n\n$/,
  );
  expect((await pressroom(['changes', guid, '--summary'])).out).not.toContain('-two');
  const { facts, files, same } = JSON.parse((await pressroom(['changes', guid, '--json'])).out);
  expect([facts, same, files.length]).toEqual([[], 1, 2]);
});

test('changes compares the newest bundle with the one before where it is active', async () => {
  const { guid } = await publish(owner, { 'index.html': 'one\n' });
  expect(await pressroom(['changes', guid])).toMatchObject({
    code: 2,
    said: expect.stringContaining('There is nothing to compare.'),
  });
  await publish(owner, { 'index.html': 'two\n' }, { guid });
  expect((await pressroom(['changes', guid])).out).toContain('\n-one\n+two\n');
});

test('changes lists numbers that moved in tables', async () => {
  const page = (sum: string) => ({ 'index.html': `<table><tr><td>Sum</td><td>${sum}</td></tr></table>` });
  const { guid } = await publish(owner, page('10'));
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(page('15')) });
  expect((await pressroom(['changes', guid, '--summary'])).out).toMatch(
    /\n\nNumbers that moved:\n {2}Table 1, Sum, Column 2: 10 -> 15 \(\+50 %\)\n$/,
  );
  const { moved } = JSON.parse((await pressroom(['changes', guid, '--json'])).out);
  expect(moved).toMatchObject([{ row: 'Sum', difference: 5 }]);
});

test('share and unshare accept usernames, e-mail addresses and groups', async () => {
  const content = ['--content', await makeContent('Shared')];
  await owner.call('POST', '/v1/groups', { body: { name: 'analysts' } });
  const shown = (await pressroom(['share', 'reader@example.com', ...content])).out;
  // The address is what the reader is sent.
  expect(shown).toMatch(new RegExp(`^Address: ${server.url}/content/\\S+/\nOwner: ${owner.username}\n`));
  expect(shown.slice(shown.indexOf('Visible to'))).toBe(
    `Visible to: Only these users and groups\n${reader.username}  can view\n`,
  );
  expect((await pressroom(['share', reader.username, '--edit', ...content])).out).toContain(
    `${reader.username}  can edit`,
  );
  const again = await pressroom(['share', reader.username, '--until', '2d', ...content]);
  expect(again.out).toMatch(new RegExp(`^${reader.username} +can edit +until `, 'm'));
  expect(again.said).toContain(`${reader.username} can still edit it. To let them only view it, add: --view`);
  expect((await pressroom(['share', reader.username, '--view', ...content])).out).toContain('can view');
  expect(await pressroom(['share', reader.username, '--view', '--edit', ...content])).toMatchObject({
    code: 2,
    said: expect.stringContaining('--edit and --view cannot be used together'),
  });
  const misspelled = await pressroom(['share', 'analists', '--access', 'logged_in', ...content]);
  expect(misspelled).toMatchObject({ code: 2, said: expect.stringContaining('No user or group is called') });
  expect((await pressroom(['share', ...content])).out).toContain('Visible to: Only these users and groups');
  expect((await pressroom(['share', 'Analysts', '--access', 'logged_in', ...content])).out).toMatch(
    /All signed-in users\n[^]*analysts \(group\) +can view/,
  );
  expect((await pressroom(['unshare', reader.username, ...content])).said).toContain(
    'Removed the permission',
  );
  expect(await pressroom(['unshare', reader.username, ...content])).toMatchObject({
    code: 2,
    said: expect.stringContaining('has no permission of its own'),
  });
  expect(await pressroom(['share', 'nobody-here', ...content])).toMatchObject({
    code: 2,
    said: expect.stringContaining('No user or group is called nobody-here'),
  });
  expect(await pressroom(['share', '--access', 'some', ...content])).toMatchObject({ code: 2 });
  expect(await pressroom(['share', ...content], { person: reader })).toMatchObject({
    code: 3,
    said: expect.stringContaining('code 19'),
  });
});

test('tags adds and removes by name, or by path when the name is ambiguous', async () => {
  const guid = await makeContent('Tagged');
  const admin = await server.administrator();
  const make = async (name: string, parent_id: string | null = null) =>
    (await admin.call('POST', '/v1/tags', { body: { name, parent_id } })).body.id as string;
  const [area, year] = [await make('Area'), await make('Year')];
  await make('Sales', area);
  await make('Other', area);
  await make('Other', year);
  expect((await pressroom(['tags', guid, '--add', 'sales', '--add', 'Year/Other'])).out).toBe(
    'Year/Other\nArea/Sales\n',
  );
  expect((await pressroom(['tags', guid, '--remove', 'sales'])).out).toBe('Year/Other\n');
  expect((await pressroom(['tags', guid, '--add', 'Other'])).said).toContain('Area/Other, Year/Other');
  expect((await pressroom(['tags', guid, '--add', 'none'])).said).toContain('There is no tag none');
  expect((await pressroom(['tags', '--all'])).out).toBe('Area\nArea/Other\nArea/Sales\nYear\nYear/Other\n');
});

test('access-requests lists, grants and declines requests', async () => {
  const guid = await makeContent('Asked for');
  const ask = async (person: Person, message: string) =>
    (await person.call('POST', `/v1/content/${guid}/access-requests`, { body: { message } })).body
      .id as string;
  const first = await ask(reader, 'For the board');
  const { out } = await pressroom(['access-requests', guid]);
  expect(out).toMatch(new RegExp(`^ID +WHO .*\n${first} +${reader.username} .*For the board`));
  expect(await pressroom(['access-requests', guid, '--grant', first, '--decline', first])).toMatchObject({
    code: 2,
  });
  expect((await pressroom(['access-requests', guid, '--grant', first])).code).toBe(0);
  expect((await reader.call('GET', `/v1/content/${guid}`)).status).toBe(200);
  const second = await ask(await server.person('publisher'), '');
  expect((await pressroom(['access-requests', guid, '--decline', second])).said).toContain('declined');
  expect((await pressroom(['access-requests', guid, '--json'])).out.trim()).toBe('[]');
});

test('access-requests without content lists all content and role requests', async () => {
  const guid = await makeContent('Everything');
  const requester = await server.person('viewer', { email: 'requester@example.com' });
  const admin = await server.person('administrator', { email: 'admin@example.com' });
  const { body } = await requester.call('POST', `/v1/content/${guid}/access-requests`, { body: {} });
  expect((await pressroom(['access-requests'])).out).toMatch(
    new RegExp(`^ID +WHO +WANTS [^]*\n${body.id} +${requester.username} +Everything `),
  );
  const asking = ['access-requests', '--become-publisher', '--message', 'For my team'];
  expect((await pressroom(asking, { person: requester })).said).toContain('were asked');
  expect(await pressroom(asking, { person: requester })).toMatchObject({
    code: 3,
    said: expect.stringContaining('code 94'),
  });
  expect((await pressroom(['access-requests'])).out).not.toContain('publisher role');
  expect((await pressroom(['access-requests'], { person: admin })).out).toMatch(
    new RegExp(`${requester.username} +the publisher role .*For my team`),
  );
  const grant = ['access-requests', '--grant', requester.username];
  expect(await pressroom(grant)).toMatchObject({ code: 2, said: expect.stringContaining('no open request') });
  expect((await pressroom(grant, { person: admin })).said).toContain('was granted');
  expect((await requester.call('GET', '/v1/user')).body.user_role).toBe('publisher');
  expect((await pressroom(['access-requests', '--decline', body.id])).said).toContain('was declined');
});

test('unused lists content without use, and keeps it', async () => {
  const guid = await makeContent('Forgotten');
  expect((await pressroom(['unused', '--json'])).out.trim()).toBe('[]');
  expect((await pressroom(['unused', '--keep', guid])).said).toContain('is kept');
  const unknown = crypto.randomUUID();
  expect(await pressroom(['unused', '--keep', unknown])).toMatchObject({ code: 3 });
});

test('rename changes title and name; delete asks for the name', async () => {
  const guid = await makeContent('Before');
  const name = `cli-${guid.slice(0, 8)}`;
  expect((await pressroom(['rename', 'After', '--name', name, '--content', guid])).said).toContain(
    `Renamed to After (${name})`,
  );
  expect(await pressroom(['rename', '--content', guid])).toMatchObject({ code: 2 });
  // In place of the new title, where nothing was published from.
  expect(await pressroom(['rename', guid])).toMatchObject({
    code: 2,
    said: expect.stringContaining('Name the content with --content'),
  });
  expect(await pressroom(['delete', guid], { input: 'wrong\n' })).toMatchObject({
    code: 2,
    said: expect.stringMatching(/Nobody used it in the last 30 days\.[^]*Nothing was deleted/),
  });
  expect(await pressroom(['delete', guid], { input: '' })).toMatchObject({ code: 2 });
  expect((await owner.call('GET', `/v1/content/${guid}`)).status).toBe(200);
  expect(await pressroom(['delete', guid], { input: `${name}\n` })).toMatchObject({ code: 0 });
  expect((await owner.call('GET', `/v1/content/${guid}`)).status).toBe(404);
  const second = await makeContent('Second');
  expect(await pressroom(['delete', second, '--yes'])).toMatchObject({ code: 0 });
});

test('a variable that the server refuses is named, not counted', async () => {
  const guid = await makeContent('Variables');
  const input = `GOOD=1\nLONG=${'x'.repeat(65_537)}\n`;
  expect(await pressroom(['variables', guid, '--from', '-'], { input })).toEqual({
    code: 3,
    out: '',
    said: expect.stringMatching(/^Error \(code 25\): The value of LONG must be [^x]*\n/),
  });
  expect((await pressroom(['variables', guid, '--json'])).out).toBe('[]\n');
});

test('completion for bash completes commands and options; other shells name every command', async () => {
  const { out } = await pressroom(['completion', 'bash']);
  const complete = (words: string[]) => {
    const script = `pressroom() { echo gallery; }\n${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_pressroom\necho "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim();
  };
  expect(complete(['pressroom', 'unsh'])).toBe('unshare');
  expect(complete(['pressroom', 'deploy', '--dry'])).toBe('--dry-run');
  expect(complete(['pressroom', 'visitor-keys', '--role', 'v'])).toBe('viewer');
  for (const words of [['status'], ['share', '--content'], ['share', '--edit', '--content']])
    expect(complete(['pressroom', ...words, 'gal']), words.join(' ')).toBe('gallery');
  for (const words of [
    ['path', '--server'],
    ['tags', '--add'],
    ['share', '--until'],
    ['status', '--api-key'],
  ])
    expect(complete(['pressroom', ...words, 'gal']), words.join(' ')).toBe('');
  for (const shell of ['zsh', 'fish']) {
    const script = (await pressroom(['completion', shell])).out;
    for (const { name } of COMMANDS) expect(script).toContain(name);
  }
  expect(await pressroom(['completion', 'cmd'])).toMatchObject({ code: 2 });
});
