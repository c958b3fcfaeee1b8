// Shared by tests of the Slack bot, separately: loading it takes longer than a server.
export { pings, violations, type Payload } from './slack-double/limits.ts';
export { startSlackDouble, type SlackDouble, type SlackDoubleOptions } from './slack-double/slack-double.ts';
export type { DoubleMessage, DoubleUser } from './slack-double/workspace.ts';
export { startEmulatedSlack, type EmulatedSlack } from './slack-double/emulated.ts';
export { startDemo, type RunningDemo } from './slack-double/demo/start-demo.ts';
export {
  bundle,
  content,
  diagnosis,
  lines,
  many,
  misfit,
  nasty,
  number,
  summary,
  time,
  url,
  user,
} from './slack-double/generated.ts';
