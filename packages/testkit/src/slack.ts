// What tests of the Slack bot share, apart: loading it costs more than a server does.
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
