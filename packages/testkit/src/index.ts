// What tests share: a server of their own, people with keys, and small archives.
export { makeArchive, manifestOf, type Files } from './archives.ts';
export { caller, type Answer, type Call, type CallOptions } from './call.ts';
export { finishedTask, publish, type FinishedTask, type Published } from './publish.ts';
export { startServerProcess, type ServerProcess } from './server-process.ts';
export {
  firstAdministrator,
  startTestServer,
  type Person,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts';
export { testLog } from './test-log.ts';
export { startTestDatabase, type TestDatabase } from './postgres.ts';
