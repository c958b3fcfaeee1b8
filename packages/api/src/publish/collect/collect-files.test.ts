// Covers which files go into a bundle and which are left out.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { collectFiles } from './collect-files.ts';
import { createTree } from './testing.ts';

function paths(entries: readonly { path: string }[]): string[] {
  return entries.map((entry) => entry.path);
}

test('returns files sorted, with sizes and modes, and the largest file', async () => {
  using tree = createTree({ 'b.txt': 'bb', 'a/z.txt': 'zzzz', 'a.txt': '' });
  execFileSync('chmod', ['700', path.join(tree.dir, 'b.txt')]);
  const result = await collectFiles(tree.dir);
  expect(result.files.map(({ path: name, size, mode }) => [name, size, mode])).toEqual([
    ['a.txt', 0, 0o644],
    ['a/z.txt', 4, 0o644],
    ['b.txt', 2, 0o755],
  ]);
  expect(result).toMatchObject({ count: 3, bytes: 6, warnings: [], excludedCount: 0 });
  expect(result.largest[0]).toEqual({ path: 'a/z.txt', size: 4 });
});

test('lists the ten largest files at most', async () => {
  using tree = createTree();
  for (let size = 1; size <= 14; size += 1) tree.write(`f${size}`, 'x'.repeat(size));
  const { largest } = await collectFiles(tree.dir);
  expect(largest.map((entry) => entry.size)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
});

test.each([
  ['.git/config', '.git/'],
  ['renv/library/R-4.2/x/DESCRIPTION', 'renv/library/'],
  ['sub/renv/library/x', 'sub/renv/library/'],
  ['packrat/lib-R/x', 'packrat/lib-R/'],
  ['.venv/bin/python', '.venv/'],
  ['my-env/pyvenv.cfg', 'my-env/'],
  ['node_modules/x/index.js', 'node_modules/'],
  ['src/__pycache__/a.pyc', 'src/__pycache__/'],
  ['.Rproj.user/x', '.Rproj.user/'],
  ['.ipynb_checkpoints/a.ipynb', '.ipynb_checkpoints/'],
  ['rsconnect/server/app.dcf', 'rsconnect/'],
  ['.pressroom/deployment.toml', '.pressroom/'],
  ['.posit/publish/deployments/app.toml', '.posit/'],
  ['a/.DS_Store', 'a/.DS_Store'],
  ['.env', '.env'],
  ['.env.production', '.env.production'],
  ['.env-production', '.env-production'],
  ['.env_local', '.env_local'],
  ['.envrc', '.envrc'],
  ['.Renviron', '.Renviron'],
  ['deep/.Renviron.local', 'deep/.Renviron.local'],
  ['.netrc', '.netrc'],
  ['.Env', '.Env'],
  ['conf/.ENV.local', 'conf/.ENV.local'],
  ['.renviron', '.renviron'],
  ['Id_RSA', 'Id_RSA'],
  ['id_dsa', 'id_dsa'],
])('excludes %s by default', async (name, shown) => {
  using tree = createTree({ 'index.html': '', [name]: 'x' });
  const result = await collectFiles(tree.dir);
  expect(paths(result.files)).toEqual(['index.html']);
  expect(paths(result.excluded)).toEqual([shown]);
  expect(result.excluded[0]?.reason).not.toBe('');
});

test.each([
  'renv.lock',
  'renv/activate.R',
  '.Rprofile',
  '.env.example',
  '.ENV.Example',
  '.env-sample',
  '.environment',
  'RSConnect/notes.md',
  'environment.yml',
  'library/a.R',
  'packrat/packrat.lock',
])('includes %s by default', async (name) => {
  using tree = createTree({ [name]: 'x' });
  expect(paths((await collectFiles(tree.dir)).files)).toEqual([name]);
});

test('nested ignore files extend and override outer ones, as in git', async () => {
  using tree = createTree({
    '.pressroomignore': '*.log\n/top.txt\nbuild/\n!keep.log\n# comment\n',
    'top.txt': '',
    'a.log': '',
    'keep.log': '',
    'build/x.txt': '',
    'sub/top.txt': '',
    'sub/a.log': '',
    'sub/.pressroomignore': '!a.log\n/only-here.txt\ninner/*.csv\n',
    'sub/only-here.txt': '',
    'sub/deeper/only-here.txt': '',
    'sub/inner/a.csv': '',
    'sub/inner/more/a.csv': '',
    'other/inner/a.csv': '',
  });
  const { files, excluded } = await collectFiles(tree.dir);
  expect(paths(files)).toEqual([
    'keep.log',
    'other/inner/a.csv',
    'sub/a.log',
    'sub/deeper/only-here.txt',
    'sub/inner/more/a.csv',
    'sub/top.txt',
  ]);
  expect(paths(excluded)).toContain('build/');
});

test('ignore files agree with git itself on nested rules', async () => {
  const rules = {
    '.gitignore': 'x/\n*.tmp\n!important.tmp\nfoo/**/bar\ndoc/*.txt\n\\#hash\ntrail \n[ab].c\n',
    'p/.gitignore': '!x/\nlocal\n/q/r\n!b.c\n',
    'we ird[1]/.gitignore': '/a.c\n*.dat\n',
  };
  const names = [
    'x/1', 'p/x/1', 'p/x/a.tmp', 'a.tmp', 'important.tmp', 'foo/bar', 'foo/1/2/bar', 'foo/baz', 'doc/a.txt',
    'doc/sub/a.txt', '#hash', 'trail', 'a.c', 'p/b.c', 'p/a.c', 'p/local', 'p/s/local/f', 'p/q/r/f', 'q/r/f',
    'we ird[1]/a.c', 'we ird[1]/z/y.dat', 'we ird[1]/ok', 'we ird1/y.dat',
  ]; // prettier-ignore
  using tree = createTree(rules);
  for (const name of names) tree.write(name, '');
  execFileSync('git', ['init', '-q'], { cwd: tree.dir });
  const listed = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], { cwd: tree.dir });
  const wanted = listed
    .toString()
    .split('\0')
    .filter((name) => name !== '' && !name.endsWith('.gitignore'));
  const { files } = await collectFiles(tree.dir, { gitignore: true });
  expect(paths(files)).toEqual(wanted.toSorted());
  expect(files.length).toBeGreaterThan(6);
});

test('follows an ignore file in UTF-16, as PowerShell writes it', async () => {
  const rules = Buffer.from('\uFEFF/private.csv\r\n', 'utf16le');
  using tree = createTree({ 'a.txt': '', 'private.csv': '', '.pressroomignore': rules });
  expect(paths((await collectFiles(tree.dir)).files)).toEqual(['a.txt']);
});

test('refuses to publish without the rules of an ignore file that is too large', async () => {
  const rules = `${'#'.repeat(1024 * 1024)}\n/private.csv\n`;
  using tree = createTree({ 'a.txt': '', 'private.csv': '', 'data/.pressroomignore': rules });
  await expect(collectFiles(tree.dir)).rejects.toMatchObject({
    code: 'unreadable',
    message: 'data/.pressroomignore is larger than 1 MiB, too large to follow: shorten it, or delete it.',
  });
});

test('follows an ignore file that is a link within the directory', async () => {
  using tree = createTree({ 'a.txt': '', 'private.csv': '', '.gitignore': '/private.csv\n' });
  symlinkSync('.gitignore', path.join(tree.dir, '.pressroomignore'));
  const { files, warnings } = await collectFiles(tree.dir);
  expect({ files: paths(files), warnings }).toEqual({ files: ['a.txt'], warnings: [] });
});

test.each(['/dev/zero', '../rules', 'nowhere', 'data'])(
  'refuses to publish without the rules of an ignore file that is a link to %s',
  async (target) => {
    using tree = createTree({ 'site/data/a.txt': '', 'site/private.csv': '', rules: '/private.csv\n' });
    symlinkSync(target, path.join(tree.dir, 'site/.pressroomignore'));
    await expect(collectFiles(path.join(tree.dir, 'site'))).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(
        /^\.pressroomignore is no regular file, or a link out of the directory: /,
      ),
    });
  },
);

test('patterns are case-sensitive', async () => {
  using tree = createTree({ 'Makefile.R': '', 'data.CSV': '', '.pressroomignore': '*.csv\nmakefile.r\n' });
  expect(paths((await collectFiles(tree.dir, { exclude: ['DATA*'] })).files)).toEqual([
    'Makefile.R',
    'data.CSV',
  ]);
});

test('ignores .gitignore unless requested', async () => {
  using tree = createTree({ '.gitignore': 'dist/\n', 'dist/app.js': '', 'index.html': '' });
  expect(paths((await collectFiles(tree.dir)).files)).toEqual(['dist/app.js', 'index.html']);
  expect(paths((await collectFiles(tree.dir, { gitignore: true })).files)).toEqual(['index.html']);
});

test('exclude patterns remove files, and include patterns take precedence', async () => {
  using tree = createTree({
    '.pressroomignore': 'data/\n*.rds\n',
    'data/a.csv': '',
    'data/b.csv': '',
    'model.rds': '',
    'notes.txt': '',
  });
  const result = await collectFiles(tree.dir, {
    exclude: ['*.txt', 'b.csv'],
    include: ['data/a.csv', '*.rds'],
  });
  expect(paths(result.files)).toEqual(['data/a.csv', 'model.rds']);
});

test('an include pattern inside a default exclusion adds only its matches', async () => {
  using tree = createTree({
    'node_modules/wanted/index.js': '',
    'node_modules/wanted/sub/x.js': '',
    'node_modules/other/index.js': '',
    'index.html': '',
  });
  const result = await collectFiles(tree.dir, { include: ['node_modules/wanted'] });
  expect(paths(result.files)).toEqual([
    'index.html',
    'node_modules/wanted/index.js',
    'node_modules/wanted/sub/x.js',
  ]);
});

test('a broad pattern includes neither libraries nor secrets', async () => {
  using tree = createTree({ 'node_modules/x.json': '', 'a.json': '', 'conf/.env': 'KEY=1', 'conf/a': '' });
  const result = await collectFiles(tree.dir, { include: ['*.json', 'conf', 'conf/**', '*'] });
  expect(paths(result.files)).toEqual(['a.json', 'conf/a']);
});

test('includes a secret file that is named', async () => {
  using tree = createTree({ '.env': 'A=1', 'conf/.env': 'A=2', 'index.html': '' });
  const result = await collectFiles(tree.dir, { include: ['/.env'] });
  expect(paths(result.files)).toEqual(['.env', 'index.html']);
});

test('follows inner links to files and excludes other links with a reason', async () => {
  using outside = createTree({ 'secret.txt': 'outside' });
  using tree = createTree({ 'real.txt': 'four', 'dir/x.txt': '', '.env': 'KEY=1' });
  const link = (target: string, name: string): void => symlinkSync(target, path.join(tree.dir, name));
  link('real.txt', 'inside.txt');
  link(path.join(outside.dir, 'secret.txt'), 'outside.txt');
  link(outside.dir, 'outside-dir');
  link('../../../../../../etc/passwd', 'relative.txt');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
  link('nowhere', 'broken');
  link('.', 'self');
  link('dir', 'dir-link');
  link('.env', 'harmless.txt');
  const result = await collectFiles(tree.dir);
  expect(paths(result.files)).toEqual(['dir/x.txt', 'inside.txt', 'real.txt']);
  expect(result.files[1]).toMatchObject({ size: 4, source: 'real.txt' });
  const reasons = Object.fromEntries(result.excluded.map((entry) => [entry.path, entry.reason]));
  expect(reasons['outside.txt']).toMatch(/outside/);
  expect(reasons['outside-dir']).toMatch(/outside/);
  expect(reasons['relative.txt']).toMatch(/outside/);
  expect(reasons['loop-a']).toBe('a circular link');
  expect(reasons.broken).toMatch(/broken/);
  expect(reasons.self).toMatch(/directory/);
  expect(reasons['dir-link']).toMatch(/directory/);
  expect(reasons['harmless.txt']).toMatch(/secret/);
});

test('accepts a root that is a link', async () => {
  using tree = createTree({ 'real/index.html': 'x' });
  symlinkSync('real', path.join(tree.dir, 'link'));
  expect(paths((await collectFiles(path.join(tree.dir, 'link'))).files)).toEqual(['index.html']);
});

test('excludes special files with a reason', async () => {
  using tree = createTree({ 'a.txt': '' });
  execFileSync('mkfifo', [path.join(tree.dir, 'pipe')]);
  const result = await collectFiles(tree.dir);
  expect(paths(result.files)).toEqual(['a.txt']);
  expect(result.excluded).toEqual([{ path: 'pipe', reason: 'it is a named pipe' }]);
});

test('excludes names that are unsafe in archives with a warning', async () => {
  const refused = ['a\\b.txt', 'new\nline', 'q:z.txt', 'in\u200bvisible', 'right\u202eleft'];
  using tree = createTree(Object.fromEntries(['ok.txt', ...refused].map((name) => [name, ''])));
  const result = await collectFiles(tree.dir);
  expect(paths(result.files)).toEqual(['ok.txt']);
  expect(result.warnings).toHaveLength(refused.length);
  expect(result.warnings).toContain(
    'q:z.txt is excluded: the path begins with a drive letter, such as C:; rename it.',
  );
});

test('excludes directories with such names as a whole, with one warning each', async () => {
  using tree = createTree({ 'ok.txt': '', 'a\\b/c/one': '', 'a\\b/two': '', 'q:/z': '' });
  // Not UTF-8, as in an archive of an older system: no later call finds it by the name that is read.
  mkdirSync(Buffer.concat([Buffer.from(`${tree.dir}/bad`), Buffer.from([0xff])]));
  const result = await collectFiles(tree.dir);
  expect(paths(result.files)).toEqual(['ok.txt']);
  expect(result.excluded.map((entry) => entry.path)).toEqual(['a\\b/', 'bad\uFFFD/', 'q:/']);
  expect(result.warnings).toHaveLength(3);
  expect(result.warnings).toContain('bad\uFFFD/ is excluded: the name is not valid UTF-8; rename it.');
});

test.each([
  ['Data.csv', 'data.csv'],
  ['a/B/c', 'a/b/c'],
  ['caf\u00e9', 'cafe\u0301'],
])('rejects %j together with %j', async (one, other) => {
  using tree = createTree({ [one]: '', [other]: '' });
  await expect(collectFiles(tree.dir)).rejects.toMatchObject({
    code: 'case-collision',
    paths: expect.arrayContaining([one, other]),
  });
});

test('reports names that look the same as such, not as a difference in case', async () => {
  // The composed form (NFC), as typed, and the decomposed form (NFD), as in archives from other systems.
  using tree = createTree({ '\u00fc.txt': '', 'u\u0308.txt': '' });
  await expect(collectFiles(tree.dir)).rejects.toThrow('look the same');
});

test('ignores a collision with an excluded file', async () => {
  using tree = createTree({ 'Data.csv': '', 'data.csv': '', '.pressroomignore': '/data.csv' });
  expect(paths((await collectFiles(tree.dir)).files)).toEqual(['Data.csv']);
});

test.each([
  [{ files: 2 }, 'too-many-files'],
  [{ bytes: 5 }, 'too-large'],
  [{ pathBytes: 4 }, 'path-too-long'],
  [{ depth: 1 }, 'too-deep'],
])('exceeding the limit %j fails with %s', async (limits, code) => {
  using tree = createTree({ a: 'xx', b: 'xx', 'c/d/e': 'xx' });
  await expect(collectFiles(tree.dir, { limits })).rejects.toMatchObject({ code });
  expect(
    (await collectFiles(tree.dir, { limits: { files: 3, bytes: 6, pathBytes: 5, depth: 2 } })).count,
  ).toBe(3);
});

test('distinguishes a missing directory from a file in its place', async () => {
  using tree = createTree({ file: '' });
  await expect(collectFiles(path.join(tree.dir, 'none'))).rejects.toMatchObject({ code: 'not-found' });
  await expect(collectFiles(path.join(tree.dir, 'file'))).rejects.toMatchObject({ code: 'not-a-directory' });
});

test('an abort stops the walk with the given reason', async () => {
  using tree = createTree({ 'a/x': '', 'b/y': '' });
  const reason = new Error('stop');
  const controller = new AbortController();
  const onProgress = (): void => controller.abort(reason);
  await expect(collectFiles(tree.dir, { signal: controller.signal, onProgress })).rejects.toBe(reason);
});

test('accepts hard links and empty directories', async () => {
  using tree = createTree({ a: 'x' });
  linkSync(path.join(tree.dir, 'a'), path.join(tree.dir, 'b'));
  mkdirSync(path.join(tree.dir, 'empty'));
  expect(paths((await collectFiles(tree.dir)).files)).toEqual(['a', 'b']);
  rmSync(path.join(tree.dir, 'empty'), { recursive: true });
});
