// What other packages may use of the server: starting one.
export { loadConfig } from './config/load-config.ts';
export { SETTINGS, type Config } from './config/settings.ts';
export { startServer, type RunningServer, type StartOptions } from './start/start-server.ts';
