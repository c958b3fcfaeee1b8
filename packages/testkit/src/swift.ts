// A real S3 store for a test run: OpenStack Swift with s3api, on loopback, in its own directory.
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Config } from '@pressroom/server';
import { freePort } from './free-port.ts';
import { startDaemon } from './identity/daemon.ts';

export interface Swift extends AsyncDisposable {
  /** Such as http://127.0.0.1:8080. */
  readonly endpoint: string;
  /** Creates a bucket. */
  bucket(): Promise<Bucket>;
  /** Stops answering, or refuses connections, for a number of milliseconds. */
  lose(how: 'silent' | 'refused', ms: number): Promise<void>;
}

export interface Bucket {
  /** Settings of a server that stores its bundles there. */
  readonly settings: Partial<Config>;
  /** Keys in the bucket. */
  keys(): Promise<string[]>;
  /** Keys of unfinished multipart uploads. */
  uploads(): Promise<string[]>;
}

/** Its only account, and its region. */
export const SWIFT = { id: 'test:tester', secret: 'testing', region: 'us-east-1' } as const;

const RING_BUILDER = `
import sys
from swift.cli.ringbuilder import main
for arguments in sys.argv[1].split(';'):
  try: main(['swift-ring-builder'] + arguments.split(' '))
  except SystemExit as end:
    if end.code not in (0, 1): raise
`;

/** Servers read swift.conf in /etc before they read where theirs is: only Debian has one there. */
const SERVER = `
import runpy, sys
from swift.common import utils
directory, program = sys.argv[1:3]
utils.set_swift_dir(directory)
sys.argv[:] = sys.argv[2:]
runpy.run_path('/usr/bin/' + program, run_name='__main__')
`;

export async function startSwift(): Promise<Swift> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-swift-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const path = (name: string) => join(directory, name);
  const [proxy, memcached, account, container, object] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  const { username } = userInfo();
  await mkdir(path('disks/sda'), { recursive: true });
  await writeFile(
    path('swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = pressroom\nswift_hash_path_prefix = tests\n',
  );
  const kinds = { account, container, object };
  const rings = Object.entries(kinds).flatMap(([kind, port]) => [
    `${path(kind)}.builder create 4 1 1`,
    `${path(kind)}.builder add r1z1-127.0.0.1:${port}/sda 1`,
    `${path(kind)}.builder rebalance`,
  ]);
  await promisify(execFile)('/usr/bin/python3', ['-c', RING_BUILDER, rings.join(';')]);
  const start = async (name: string, port: number | undefined, conf: string) => {
    const settings = {
      bind_ip: '127.0.0.1',
      bind_port: port,
      workers: 0,
      user: username,
      swift_dir: directory,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
    await writeFile(path(`${name}.conf`), `[DEFAULT]\n${lines.join('\n')}\nlog_level = ERROR\n${conf}`);
    const config = path(`${name}.conf`);
    return startDaemon(name, port!, () => ['/usr/bin/python3', '-c', SERVER, directory, name, config]);
  };
  const startProxy = () =>
    start(
      'swift-proxy-server',
      proxy,
      `[pipeline:main]\npipeline = catch_errors cache s3api tempauth copy slo proxy-server\n
[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true
[filter:s3api]\nuse = egg:swift#s3api\nlocation = ${SWIFT.region}
[filter:tempauth]\nuse = egg:swift#tempauth\nuser_test_tester = ${SWIFT.secret} .admin
[filter:copy]\nuse = egg:swift#copy
[filter:slo]\nuse = egg:swift#slo
[filter:catch_errors]\nuse = egg:swift#catch_errors
[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${memcached}
`,
    );
  const [inFront, ...behind] = await Promise.all([
    startProxy(),
    startDaemon('memcached', memcached!, () => [
      'memcached',
      '--listen=127.0.0.1',
      `--port=${memcached}`,
      '--udp-port=0',
      `--user=${username}`,
    ]),
    ...Object.entries(kinds).map(([kind, port]) =>
      start(
        `swift-${kind}-server`,
        port,
        `devices = ${path('disks')}\nmount_check = false\n[pipeline:main]\npipeline = ${kind}-server\n` +
          `[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
      ),
    ),
  ]);
  for (const daemon of behind) stack.use(daemon);
  let front = inFront;
  stack.defer(() => front[Symbol.asyncDispose]());
  const opened = stack.move();
  const endpoint = `http://127.0.0.1:${proxy}`;
  return {
    endpoint,
    bucket: () => makeBucket(endpoint, `bucket-${randomUUID()}`),
    async lose(how, ms) {
      if (how === 'silent') process.kill(front.pid, 'SIGSTOP');
      else await front[Symbol.asyncDispose]();
      await delay(ms);
      if (how === 'silent') process.kill(front.pid, 'SIGCONT');
      else front = await startProxy();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function makeBucket(endpoint: string, name: string): Promise<Bucket> {
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    region: SWIFT.region,
    credentials: { accessKeyId: SWIFT.id, secretAccessKey: SWIFT.secret },
  });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    settings: {
      'Storage.Type': 's3',
      'Storage.Bucket': name,
      'Storage.Region': SWIFT.region,
      'Storage.Endpoint': endpoint,
      'Storage.PathStyle': true,
      'Storage.KeyID': SWIFT.id,
      'Storage.Secret': SWIFT.secret,
      'Secrets.Key': randomBytes(32).toString('base64'),
    },
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
      return Contents.map(({ Key = '' }) => Key);
    },
    async uploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }));
      return Uploads.map(({ Key = '' }) => Key);
    },
  };
}
