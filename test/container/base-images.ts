// The image of the Containerfile; without a registry, on substitutes of its base images made of Debian packages.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from './engine.ts';

const ROOT = join(import.meta.dirname, '../..');

export async function buildImage(engine: Engine, image: string): Promise<void> {
  const bases = await baseImages(engine);
  const file = join(ROOT, 'Containerfile');
  await engine.run('build', ...networkOf(engine), ...bases, '--file', file, '--tag', image, ROOT);
}

/** An engine of ours has no network of its own. */
const networkOf = ({ isOwn }: Engine) => (isOwn ? ['--network', 'host'] : []);

/** Build arguments with the images; empty for those of a registry. */
async function baseImages(engine: Engine): Promise<string[]> {
  const pulled = await Promise.all(
    ['debian:bookworm-slim', 'node:24-bookworm-slim'].map((image) =>
      engine.run('image', 'inspect', image).catch(() => engine.run('pull', image)),
    ),
  ).catch(() => null);
  if (pulled) return [];
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-base-'));
  try {
    await makeStandIns(engine, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return ['--build-arg', 'BASE_IMAGE=pressroom-test-debian', '--build-arg', 'NODE_IMAGE=pressroom-test-node'];
}

async function makeStandIns(engine: Engine, directory: string): Promise<void> {
  const root = join(directory, 'root');
  const archive = join(directory, 'root.tar');
  try {
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', root], { stdio: 'ignore' });
  } catch (cause) {
    const lacks = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const remedy = lacks
      ? 'apt-get install debootstrap'
      : 'debootstrap could not make them from Debian packages';
    throw new Error(`no registry has the base images: ${remedy}`, { cause });
  }
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  await engine.run('import', archive, 'pressroom-test-debian');
  const context = join(directory, 'node');
  mkdirSync(context);
  cpSync(process.execPath, join(context, 'node'));
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(join(dirname(npm), '..'), join(context, 'npm'), { recursive: true });
  // Certificates that this machine trusts for the package registry.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) cpSync(certificates, join(context, 'certificates.pem'));
  else writeFileSync(join(context, 'certificates.pem'), '');
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM pressroom-test-debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY certificates.pem /etc/ssl/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certificates.pem
`,
  );
  await engine.run('build', ...networkOf(engine), '--tag', 'pressroom-test-node', context);
}
