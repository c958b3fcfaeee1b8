// Covers servers that store bundles in S3: OpenStack Swift with s3api, started once for all tests.
import { startSwift, type Swift } from '@pressroom/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { testBlobs } from './s3/blobs.ts';
import { testFaults } from './s3/faults.ts';
import { testMoves } from './s3/move.ts';
import { testServers } from './s3/servers.ts';

let swift: Swift;
beforeAll(async () => {
  swift = await startSwift();
});
afterAll(() => swift[Symbol.asyncDispose]());

const bucket = () => swift.bucket();
describe('Archives in S3', () => {
  testBlobs(bucket);
});
describe('Faults of S3', () => {
  testFaults(bucket);
});
describe('Move to PostgreSQL and S3', () => {
  testMoves(bucket);
});
describe('Servers that share only the database and the bucket', () => {
  testServers(bucket);
});
