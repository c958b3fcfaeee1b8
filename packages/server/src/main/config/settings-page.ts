// docs/reference/settings.md: the settings as a page for operators.
import { variableName } from './load-config.ts';
import type { Setting } from './setting-kinds.ts';
import { SETTINGS } from './settings.ts';

export function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const value = setting.default === '' ? '' : `\`${String(setting.default)}\``;
    return `| \`${name}\` | \`${variableName(name)}\` | ${value} | ${range(setting)} | ${setting.about} |`;
  });
  return [
    '# Settings',
    '',
    'Made from `packages/server/src/main/config/settings.ts` by `npm run generate`; do not edit.',
    '',
    'A TOML file named by `PRESSROOM_CONFIG` holds them by section (`[Scheduler]`, then `IdleTimeout = 5`); the',
    'environment goes over the file. A name that does not exist or a value out of range stops the start; of a',
    'variable whose section does not exist the start says that it is ignored.',
    '',
    '| Setting | Variable | Default | Values | Meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function range(setting: Setting): string {
  if (setting.type === 'boolean') return 'true, false';
  if (setting.type === 'text') return setting.values?.join(', ') ?? 'text';
  return `${setting.min}..${setting.max}`;
}
