// Covers lock files: they give the same requirements as an export by their own tools.
import { expect, test } from 'vitest';
import { isLock, linesOfLock } from './python-lock.ts';

const SUM = 'a'.repeat(64);

test('pylock.toml: reads versions, markers and hashes, and omits packages of groups', () => {
  const lock = `lock-version = "1.0"
[[packages]]
name = "alpha"
version = "1.0"
wheels = [{ url = "https://e.example/a.whl", hashes = { sha256 = "${SUM}" } }]
[[packages]]
name = "winonly"
version = "2.0"
marker = "sys_platform == 'win32'"
sdist = { url = "https://e.example/w.tar.gz", hashes = { sha256 = "${SUM}" } }
[[packages]]
name = "pytest"
version = "8.0"
marker = "'dev' in dependency_groups"
`;
  expect(linesOfLock('pylock.toml', lock)).toEqual([
    `alpha==1.0 --hash=sha256:${SUM}`,
    `winonly==2.0 ; sys_platform == 'win32' --hash=sha256:${SUM}`,
  ]);
});

const UV = `version = 1
[[package]]
name = "mine"
version = "0.1"
source = { virtual = "." }
dependencies = [{ name = "alpha" }, { name = "beta", extra = ["fast"], marker = "python_full_version < '3.12'" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "alpha"
version = "1.0"
source = { registry = "https://e.example/simple" }
dependencies = [{ name = "colour", marker = "sys_platform == 'win32'" }]
[[package]]
name = "beta"
version = "2.0"
source = { registry = "https://e.example/simple" }
dependencies = [{ name = "alpha" }]
[package.optional-dependencies]
fast = [{ name = "speed" }]
[[package]]
name = "colour"
version = "3.0"
source = { registry = "https://e.example/simple" }
[[package]]
name = "speed"
version = "4.0"
source = { registry = "https://e.example/simple" }
[[package]]
name = "pytest"
version = "8.0"
source = { registry = "https://e.example/simple" }
`;

test('uv.lock: reads the project’s dependencies with extras and markers, without groups', () => {
  expect(linesOfLock('uv.lock', UV)).toEqual([
    'alpha==1.0',
    "beta==2.0 ; python_full_version < '3.12'",
    "colour==3.0 ; sys_platform == 'win32'",
    "speed==4.0 ; python_full_version < '3.12'",
  ]);
});

test.each([
  ['pylock.toml', 'lock-version = ', 'is not valid TOML'],
  [
    'pylock.toml',
    '[[packages]]\nname = "own"\ndirectory = { path = "." }\n',
    'has own from somewhere else than an index',
  ],
  [
    'pylock.toml',
    '[[packages]]\nname = "alpha"\nversion = "1.0"\nmarker = "a\\n-r /etc/passwd"\n',
    'has "alpha==1.0 ; a\\n-r /etc/passwd", which is no requirement',
  ],
  [
    'pylock.toml',
    '[[packages]]\nname = "--pre"\nversion = "1.0"\n',
    'has "--pre==1.0", which is no requirement',
  ],
  ['uv.lock', 'version = 1\n', 'names no project'],
  [
    'uv.lock',
    UV.replace('{ registry = "https://e.example/simple" }', '{ git = "https://e.example/a" }'),
    'has alpha from somewhere else than an index',
  ],
])('rejects an unusable %s with the reason', (file, text, why) => {
  expect(() => linesOfLock(file, text)).toThrow(why);
});

test('uv.lock: rejects a graph with too many dependencies', () => {
  const edges = '{ name = "a" },'.repeat(4000);
  const root = `[[package]]\nname = "r"\nsource = { virtual = "." }\ndependencies = [${edges}]\n`;
  const others = '[[package]]\nname = "a"\nsource.registry = "x"\n'.repeat(2000);
  expect(() => linesOfLock('uv.lock', root + others)).toThrow('has too many dependencies');
});

test('recognizes lock files by name', () => {
  expect(['uv.lock', 'pylock.toml', 'pylock.web.toml', 'sub/uv.lock'].every(isLock)).toBe(true);
  expect(['requirements.lock', 'pylock.txt', 'my-uv.locked', 'xpylock.toml'].some(isLock)).toBe(false);
});
