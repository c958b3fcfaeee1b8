// docs/reference/settings.md: the settings for operators.
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
    'Settings are read from a TOML file, which `PRESSROOM_CONFIG` names (`[Scheduler]`, then `IdleTimeout = 5`), and from',
    'environment variables, which take precedence. The server does not start with an unknown name or a value out of range; it',
    'ignores variables of an unknown section, and logs them.',
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
