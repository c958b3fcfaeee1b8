// `npm test`: the checks run beside the tests, and what they found is printed after them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

// With arguments, as in `npm test -- users`, only the tests that they name.
const only = process.argv.slice(2);
const checks = only.length === 0 ? runChecks() : { ok: true, output: '' };
const tests = spawn('vitest', ['run', ...only], { stdio: 'inherit' });
const [code] = await once(tests, 'exit');
const { ok, output } = await checks;
process.stdout.write(output);
if (only.length === 0) console.log(ok ? 'Checks passed.' : 'Checks failed: npm run check.');
process.exitCode = code === 0 && ok ? 0 : 1;

async function runChecks() {
  const child = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { ok: status === 0, output: stdout + stderr };
}
