// Uploads whose headers do not match their bytes: errors 104, 125, 126, and 135 for an empty chunked body.
import { createHash } from 'node:crypto';
import type { HostileUpload } from './corpus.ts';
import { bundleWith } from './tar-bytes.ts';

const good = async (): Promise<Buffer> => bundleWith();
const md5 = createHash('md5').update(bundleWith()).digest();

function withChecksum(name: string, value: string): HostileUpload {
  return { name: `transfer: ${name}`, code: 104, bytes: good, headers: { 'x-content-checksum': value } };
}

/** All uploads damaged in transfer. */
export const hostileTransfers: HostileUpload[] = [
  withChecksum('checksum of something else', '0'.repeat(32)),
  withChecksum('checksum of something else in base64', Buffer.alloc(16).toString('base64')),
  withChecksum('checksum cut short', md5.toString('hex').slice(0, 31)),
  withChecksum('checksum that is no checksum', 'yes please'),
  withChecksum('checksum that is empty', ''),
  withChecksum('checksum by another algorithm', createHash('sha256').update('x').digest('hex')),
  withChecksum('checksum in base64 of its hex', Buffer.from(md5.toString('hex')).toString('base64')),
  {
    name: 'transfer: damaged archive with the checksum of the whole one',
    code: 104,
    bytes: async () => bundleWith().subarray(0, -20),
    headers: { 'x-content-checksum': md5.toString('hex') },
  },
  {
    name: 'transfer: Content-Length 0',
    code: 125,
    bytes: async () => Buffer.alloc(0),
    headers: { 'content-length': '0' },
  },
  { name: 'transfer: Content-Length too small', code: 126, bytes: good, headers: { 'content-length': '10' } },
  {
    name: 'transfer: Content-Length too large',
    code: 126,
    bytes: good,
    headers: { 'content-length': '1000000' },
    inProcessOnly: true,
  },
  { name: 'transfer: chunked and empty', code: 135, bytes: async () => Buffer.alloc(0) },
  {
    name: 'transfer: larger than the limit',
    code: 135,
    bytes: async () => Buffer.alloc(5 * 1024 ** 2, 0x1f),
  },
];
