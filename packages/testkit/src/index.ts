// What tests share: a server of their own, people with keys, and small archives.
export { pings, violations, type Payload } from './slack-double/limits.ts';
export { startSlackDouble, type SlackDouble, type SlackDoubleOptions } from './slack-double/slack-double.ts';
export type { DoubleMessage, DoubleUser } from './slack-double/workspace.ts';
export { makeArchive, manifestOf, type Files } from './archives.ts';
export { createBrowser, type Browser, type Page } from './browser.ts';
export { freePort } from './free-port.ts';
export { testCertificate } from './identity/certificate.ts';
export { startNginx } from './identity/nginx.ts';
export { OIDC_CLIENT, startOidc } from './identity/oidc.ts';
export { KNOWN_PEOPLE } from './identity/people.ts';
export { createSamlProvider, SAML_PROVIDER, SAML_SIGN_ON, type SamlAnswer } from './identity/saml.ts';
export { CROWD, startSlapd } from './identity/slapd.ts';
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
export { startEmulatedSlack, type EmulatedSlack } from './slack-double/emulated.ts';
export { startDemo, type RunningDemo } from './slack-double/demo/start-demo.ts';
export { startTestDatabase, type TestDatabase } from './postgres.ts';
