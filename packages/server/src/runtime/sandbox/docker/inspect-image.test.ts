// Covers the inspection of images, and its result.
import { expect, it } from 'vitest';
import { createImageInstallations } from '../../installations-of-images.ts';
import { readResponse } from './inspect-image.ts';

const STATUS = `
@@status
CapInh:\t0000000000000000
CapPrm:\t0000000000000000
CapEff:\t0000000000000000
CapBnd:\t0000000000000000
CapAmb:\t0000000000000000
NoNewPrivs:\t1
Seccomp:\t2

@@root
`;
const SYSTEM = '\n@@system\nPRETTY_NAME="Debian"\nVERSION_ID="12"\nID=debian\n';
const PYTHON = '\n@@python-file\n/usr/local/bin/python3\n\n@@python\n3.11.4\n23.1\nuvicorn\n';
const R = `
@@r-file
/usr/bin/Rscript

@@r
4.2.2
x86_64-pc-linux-gnu
@CRAN@

@@description
Package: mine
Version: 2.0
Imports: other (>= 1.0)

@@description
Package: mine
Version: 1.0

@@description
no description
`;
const END = '\n@@end\n';

it('reads versions, packages and the system; of duplicate packages the first counts', () => {
  const { image, kept } = readResponse('both:1', 'sha256:1', STATUS + SYSTEM + R + PYTHON + END);
  expect(image).toMatchObject({
    system: 'debian-12',
    python: { version: '3.11.4', file: '/usr/local/bin/python3', hasPip: true, tools: ['uvicorn'] },
    r: { version: '4.2.2', repository: null, packages: [{ name: 'mine', version: '2.0', needs: ['other'] }] },
    node: null,
    pandoc: null,
    git: false,
  });
  expect(kept).toEqual({ capabilities: false, newPrivileges: false, filtersCalls: true, writesRoot: false });
});

it('detects missing restrictions on content', () => {
  const weak = STATUS.replace('CapBnd:\t0000000000000000', 'CapBnd:\t00000000a80425fb')
    .replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0')
    .replace('Seccomp:\t2', 'Seccomp:\t0')
    .replace('@@root\n', '@@root\nwritable\n');
  const { kept } = readResponse('weak', 'sha256:1', weak + PYTHON + END);
  expect(kept).toEqual({ capabilities: true, newPrivileges: true, filtersCalls: false, writesRoot: true });
});

it('rejects an incomplete response and an image without a language', () => {
  expect(() => readResponse('x', 'sha256:1', STATUS + PYTHON)).toThrow('could not be looked at');
  expect(() => readResponse('x', 'sha256:1', STATUS + SYSTEM + END)).toThrow(
    'neither R nor Python nor Node.js',
  );
});

it('uses the first of several images with the same version', async () => {
  const image = (name: string) =>
    readResponse(name, `sha256:${name}`, STATUS + SYSTEM + R + PYTHON + END).image;
  const installations = createImageInstallations([image('first'), image('second')]);
  expect(await installations.listR()).toMatchObject([
    {
      version: '4.2.2',
      image: 'sha256:first',
      program: '/usr/bin/R',
      platform: 'x86_64-pc-linux-gnu-debian-12',
    },
  ]);
  expect(await installations.listPython()).toMatchObject([{ imageName: 'first', isSystem: true }]);
  expect(await installations.findNode()).toBeNull();
});
