// `npm test`: installs what is missing and runs everything. Checks start while system packages are installed; their
// output and that of the editor tests is shown at the end. Runs on any Node from 20 up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { installEditor } from '../test/editor/host/install.mjs';
import { shouldRunAsRoot, runAsRoot } from './as-root.mjs';
import { installDependencies } from './dependencies.mjs';
import { installForTests } from './for-tests.mjs';
import { inMemory } from './in-memory.mjs';

/** For tools written in Go: more threads and less memory are faster alone, but slow down concurrent tests. */
const SPARING = { GOMAXPROCS: '1', GOGC: '400' };
/** Worker threads of servers under test load their sources in a seventh of the time: as in testkit/src/compile-cache.ts. */
const COMPILED = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/pressroom-tests') };

// With arguments, as in `npm test -- users`, runs only matching tests.
const only = process.argv.slice(2);
const report = process.env.PRESSROOM_TEST_REPORT;
const system = installForTests();
await installDependencies({ whole: true });
if (shouldRunAsRoot()) process.exit((await system) ? await runAsRoot(import.meta.filename, only) : 1);
const ok = only.length > 0 ? await named() : await all();
process.exitCode = ok ? 0 : 1;

/** Installs an editor only if its tests match. */
async function named() {
  const ofEditor = readdirSync('test/editor').map((file) => `test/editor/${file}`);
  const needsEditor = ofEditor.some((file) => only.some((name) => file.includes(name)));
  const [complete] = await Promise.all([system, needsEditor && installEditor()]);
  if (!complete) return false;
  const args = ['run', ...(needsEditor ? [] : ['--project=!editor']), ...only];
  const [code] = await once(spawn('vitest', args, { stdio: 'inherit' }), 'exit');
  return code === 0;
}

/** Runs two suites at a time: those with an editor or a database mostly wait. */
async function all() {
  const checks = collect(['npm', 'run', '--silent', 'check'], { ...process.env, ...SPARING });
  const editor = installEditor().catch(({ message }) => message);
  if (!(await system)) {
    process.stdout.write((await checks).output);
    console.log('The tests did not run: packages are missing, see above.');
    return false;
  }
  const others = testsOf('tests');
  const [program, ...args] = others.command;
  const running = spawn(program, args, { stdio: 'inherit', env: others.env });
  const inEditor = editor.then((why) => (why ? { status: 1, output: `${why}\n` } : run(testsOf('editor'))));
  const beside = [
    ['Tests in an editor', inEditor],
    ['Tests over PostgreSQL', inEditor.then(() => run(testsOf('postgres')))],
    ['Checks', checks],
  ];
  const [code] = await once(running, 'exit');
  const failed = code === 0 ? [] : ['Tests'];
  for (const [name, ended] of beside) {
    const { status, output } = await ended;
    process.stdout.write(output);
    if (status !== 0) failed.push(name);
  }
  if (report) {
    const parts = ['tests', 'editor', 'postgres'].map((project) => readReport(`${report}.${project}`));
    if (parts.includes(null)) failed.push('a run that wrote no report');
    const whole = sum(parts);
    writeFileSync(report, JSON.stringify(whole));
    printFailures(whole);
  }
  console.log(failed.length === 0 ? 'Tests and checks passed.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0;
}

function testsOf(project) {
  return inMemory(['vitest', 'run', `--project=${project}`], {
    ...process.env,
    ...COMPILED,
    PRESSROOM_TEST_WHOLE: '1',
    ...(report && { PRESSROOM_TEST_REPORT: `${report}.${project}` }),
  });
}

function run({ command, env }) {
  return collect(command, env);
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

/** Null if a run ended before it wrote one. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Repeated at the end of the log, where readers look first. */
function printFailures({ testResults }) {
  for (const { name, message, assertionResults } of testResults) {
    const failures = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failures) {
      console.log(`\nFAILED ${name} > ${fullName}\n${failureMessages.join('\n').slice(0, 2000)}`);
    }
    if (message && failures.length === 0) console.log(`\nFAILED ${name}\n${message.slice(0, 2000)}`);
  }
}

/** Combines reports: counts are added, lists joined. */
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
