// `npm run doctor`: tries everything that a start of the server would, and suggests remedies. Changes nothing.
import { messageOf } from '../platform/errors.ts';
import { loadConfig, unknownVariables } from './config/load-config.ts';
import { tooOld } from './config/node-version.ts';
import { VERSION } from './config/version.ts';
import { bad, warning, type Finding } from './doctor/finding.ts';

const REMEDY = 'Correct the setting: docs/reference/settings.md lists them all.';
const MARKS: Readonly<Record<Finding['state'], string>> = { good: 'ok  ', warning: 'WARN', bad: 'BAD ' };

const findings = await all();
const width = Math.max(...findings.map(({ what }) => what.length));
console.log(
  `Pressroom ${VERSION}, settings: ${process.env.PRESSROOM_CONFIG || 'environment and defaults'}\n`,
);
for (const { what, state, message, remedy } of findings) {
  console.log(`${MARKS[state]}  ${what.padEnd(width)}  ${message}`);
  if (remedy !== '') console.log(`${' '.repeat(width + 8)}→ ${remedy}`);
}
const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
const [problems, warnings] = [count('bad'), count('warning')];
const also = warnings === 0 ? '' : ` ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
console.log(
  problems === 0
    ? `\nNothing keeps the server from starting.${also}`
    : `\n${problems} ${problems === 1 ? 'problem' : 'problems'} to fix.${also}`,
);
// Connections to unresponsive hosts may linger.
process.exit(problems === 0 ? 0 : 1);

async function all(): Promise<Finding[]> {
  const old = tooOld(process.versions.node);
  if (old !== null)
    return [bad('Node', old, 'Or run this with npm in the repository, which brings its own.')];
  try {
    // Loaded dynamically: an older Node cannot even parse it.
    const { examine } = await import('./doctor/examine.ts');
    return [...stray(), ...(await examine(loadConfig(process.env)))];
  } catch (error) {
    // Each wrong setting is a line of the message.
    return messageOf(error)
      .split('\n')
      .map((problem) => bad('Settings', problem, REMEDY));
  }
}

function stray(): Finding[] {
  const names = unknownVariables(process.env);
  if (names.length === 0) return [];
  return [warning('Settings', `ignored, as no setting has that name: ${names.join(', ')}`, REMEDY)];
}
