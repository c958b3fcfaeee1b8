// The imported part of undici: all of it takes twice as long to load, before each command of the command line.
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  export { EnvHttpProxyAgent as default } from 'undici';
}
