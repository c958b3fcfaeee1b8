// Shared by tests: a server of their own, people with keys, and small archives.
export { makeArchive, manifestOf, type Files } from './archives.ts';
export { COMPILE_CACHE } from './compile-cache.ts';
export { createBrowser, type Browser, type Page } from './browser.ts';
export { freePort, freePorts, ownAddress } from './free-port.ts';
export { holdDeploys } from './hold-deploys.ts';
export { testCertificate } from './identity/certificate.ts';
export { startGitServer, type GitServer } from './git-server.ts';
export { startCi, type TestCi } from './identity/ci.ts';
export { startNginx } from './identity/nginx.ts';
export { startNginxDaemon } from './identity/nginx-daemon.ts';
export { startTlsNginx } from './identity/tls-nginx.ts';
export { OIDC_CLIENT, startOidc } from './identity/oidc.ts';
export { KNOWN_PEOPLE } from './identity/people.ts';
export { createSamlProvider, SAML_PROVIDER, SAML_SIGN_ON, type SamlResponse } from './identity/saml.ts';
export { CROWD, startSlapd } from './identity/slapd.ts';
export { openMailbox, type Mailbox } from './mailbox.ts';
export { CHROMIUM, CHROMIUM_FEATURES, openBrowser, signIn } from './chromium.ts';
export { caller, type CallResponse, type Call, type CallOptions } from './call.ts';
export { PYTHON_API, pythonApi } from './python-api.ts';
export { finishedTask, grant, publish, upload, type FinishedTask, type Published } from './publish.ts';
export { refused } from './refused.ts';
export { builtProgram } from './built-program.ts';
export { startListening, type ListeningProcess } from './listening-process.ts';
export { runInOwnGroup } from './own-group.ts';
export { startServerProcess } from './server-process.ts';
export { pauseProcesses } from './pause-processes.ts';
export {
  elsewhere,
  firstAdministrator,
  startTestServer,
  type Person,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts';
export { startConstellation, type Constellation } from './constellation/start-constellation.ts';
export { startSwift, type Bucket, type Swift } from './swift.ts';
export { totpCode } from './totp.ts';
export { testLog } from './test-log.ts';
export { createDatabase, runSql, startTestDatabase, type TestDatabase } from './postgres.ts';
export { fetchUv } from './uv.ts';
export { makeQuickRenderer, QUICK_DOCUMENT, quickDocument, type QuickRenderer } from './quick-renderer.ts';
export { makeQuartoStandIn, type QuartoStandIn } from './quarto-stand-in.ts';
