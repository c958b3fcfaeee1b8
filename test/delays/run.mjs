// `npm run test:delays -- KINDS MILLISECONDS ARGUMENTS…` finds tests that depend on what happens first: it runs them with
// delays. KINDS of delays.mjs are joined by commas, MILLISECONDS are a range such as 0-800, ARGUMENTS those of `vitest run`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [kinds, range, ...args] = process.argv.slice(2);
const preload = new URL('delays.mjs', import.meta.url).href;
const env = {
  ...process.env,
  NODE_OPTIONS: `--import=${preload}`,
  PRESSROOM_TEST_DELAYS: kinds,
  PRESSROOM_TEST_DELAYS_MS: range,
};
const vitest = spawn('vitest', ['run', ...args], { stdio: 'inherit', env });
[process.exitCode] = await once(vitest, 'exit');
