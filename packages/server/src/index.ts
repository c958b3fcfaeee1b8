// What other packages use of the server: starting one, and its database.
export { loadConfig } from './main/config/load-config.ts';
export { SETTINGS, type Config } from './main/config/settings.ts';
export { startServer, type RunningServer, type StartOptions } from './main/start-server.ts';
export { createInstallations } from './runtime/installations.ts';
export { createPasswords } from './sign-in/passwords/passwords.ts';
export { openStorage } from './platform/database/storage.ts';
