// `npm test`: installs what is missing and runs everything. Checks begin while system packages are installed; what they and the
// tests in an editor print is shown after the others. Runs on any Node from 20 up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { installEditor } from '../test/editor/host/install.mjs';
import { installDependencies } from './dependencies.mjs';
import { installForTests } from './for-tests.mjs';
import { inMemory } from './in-memory.mjs';

/** To compilers in Go: more threads and less memory make them faster alone, but here they take it from the tests. */
const SPARING = { GOMAXPROCS: '1', GOGC: '400' };

// With arguments, as in `npm test -- users`, only the tests that they name.
const only = process.argv.slice(2);
const report = process.env.PRESSROOM_TEST_REPORT;
const system = installForTests();
await installDependencies({ whole: true });
const ok = only.length > 0 ? await named() : await all();
process.exitCode = ok ? 0 : 1;

async function named() {
  const [complete] = await Promise.all([system, installEditor()]);
  if (!complete) return false;
  const [code] = await once(spawn('vitest', ['run', ...only], { stdio: 'inherit' }), 'exit');
  return code === 0;
}

/** An editor waits more than it computes, as most tests do: in turns, each would leave the processor idle. */
async function all() {
  const checks = collect(['npm', 'run', '--silent', 'check'], { ...process.env, ...SPARING });
  const editor = installEditor().catch(({ message }) => message);
  if (!(await system)) {
    process.stdout.write((await checks).output);
    console.log('The tests did not run: packages are missing, see above.');
    return false;
  }
  const reports = report ? [`${report}.editor`, `${report}.others`] : [];
  const env = (file) => ({
    ...process.env,
    PRESSROOM_TEST_WHOLE: '1',
    ...(file && { PRESSROOM_TEST_REPORT: file }),
  });
  const rest = inMemory(['vitest', 'run', '--project=!editor'], env(reports[1]));
  const [program, ...args] = rest.command;
  const others = spawn(program, args, { stdio: 'inherit', env: rest.env });
  const beside = [
    ['Tests in an editor', inEditor(editor, env(reports[0]))],
    ['Checks', checks],
  ];
  const [code] = await once(others, 'exit');
  const failed = code === 0 ? [] : ['Tests'];
  for (const [name, ended] of beside) {
    const { status, output } = await ended;
    process.stdout.write(output);
    if (status !== 0) failed.push(name);
  }
  if (report) {
    const parts = reports.map(readReport);
    if (parts.includes(null)) failed.push('a run that wrote no report');
    const whole = sum(parts);
    writeFileSync(report, JSON.stringify(whole));
    printFailures(whole);
  }
  console.log(failed.length === 0 ? 'Tests and checks passed.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0;
}

/** @param installed says why it is not */
async function inEditor(installed, env) {
  const why = await installed;
  if (why) return { status: 1, output: `${why}\n` };
  const tests = inMemory(['vitest', 'run', '--project=editor'], env);
  return collect(tests.command, tests.env);
}

async function collect([program, ...args], env) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { status, output: stdout + stderr };
}

/** Null where a run ended before it wrote one. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Once more and last: who reads the end of a long log sees what failed. */
function printFailures({ testResults }) {
  for (const { name, message, assertionResults } of testResults) {
    const failures = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failures) {
      console.log(`\nFAILED ${name} > ${fullName}\n${failureMessages.join('\n').slice(0, 2000)}`);
    }
    if (message && failures.length === 0) console.log(`\nFAILED ${name}\n${message.slice(0, 2000)}`);
  }
}

/** One report of several: what is counted is added, what is listed is joined. */
function sum(parts) {
  const total = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  for (const part of parts) {
    for (const [key, value] of Object.entries(part ?? {})) {
      if (key.startsWith('num')) total[key] = (total[key] ?? 0) + value;
    }
    total.testResults.push(...(part?.testResults ?? []));
  }
  return total;
}
