// Settings file and environment → validated settings. The one place that reads either.
import { readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../../platform/errors.ts';
import type { Setting } from './setting-kinds.ts';
import { SETTINGS, type Config, type SettingName } from './settings.ts';

/** Invalid settings; the message names each, in a line of its own, and the accepted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the file named by `PRESSROOM_CONFIG` (TOML), then `PRESSROOM_<SECTION>_<KEY>` over it.
 * @throws ConfigError for an unknown name, a wrong type or a value out of range.
 */
export function loadConfig(env: Environment, overrides: Partial<Config> = {}): Config {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) values[name] = setting.default;
  const problems: string[] = [];
  const file = env.PRESSROOM_CONFIG;
  if (file) Object.assign(values, readSettingsFile(file, problems));
  Object.assign(values, readEnvironment(env, problems), overrides);
  // All of them: whoever corrects one and starts again is not stopped by the next.
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  // Paths are appended to them.
  for (const name of ['Server.Address', 'Server.ContentAddress'] as const)
    values[name] = String(values[name]).replace(/\/+$/, '');
  values['Database.URL'] = withVerifiedTls(String(values['Database.URL']));
  const config = values as Config;
  requireOrder(config, 'Scheduler.MinProcesses', 'Scheduler.MinProcessesLimit');
  requireOrder(config, 'Scheduler.MaxProcesses', 'Scheduler.MaxProcessesLimit');
  requireOrder(config, 'Scheduler.MinProcesses', 'Scheduler.MaxProcesses');
  if (config['Storage.Type'] === 's3') requireStore(config);
  if (config['Applications.Executor'] === 'docker') requireEngine(config);
  return config;
}

function requireStore(config: Config): void {
  for (const name of ['Storage.Bucket', 'Secrets.Key'] as const)
    if (config[name] === '') throw new ConfigError(`${name} must be set where Storage.Type is s3`);
  if ((config['Storage.KeyID'] === '') !== (config['Storage.Secret'] === ''))
    throw new ConfigError('Storage.KeyID and Storage.Secret must be set together');
}

function requireEngine(config: Config): void {
  if (config['Docker.Images'] === '')
    throw new ConfigError('Docker.Images must be set where Applications.Executor is docker');
  const files = ['Docker.CA', 'Docker.Certificate', 'Docker.Key'] as const;
  const missing = files.filter((name) => config[name] === '');
  if (missing.length > 0 && missing.length < files.length)
    throw new ConfigError(
      `${files.join(', ')} must be set together: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`,
    );
  const host = config['Docker.Host'];
  const isNear = host.startsWith('unix:') || /^tcp:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\]):/.test(host);
  if (missing.length > 0 && !isNear)
    throw new ConfigError(
      'Docker.Host is not on this machine by its address: whoever commands an engine is root there, so Docker.CA, Docker.Certificate and Docker.Key must be set',
    );
}

/** The library takes these modes for `verify-full`, and warns at each connection that a later version will not. */
const withVerifiedTls = (address: string): string =>
  address.includes('uselibpqcompat')
    ? address
    : address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

type ProcessSetting = Extract<SettingName, `Scheduler.M${string}Processes${string}`>;

function requireOrder(config: Config, low: ProcessSetting, high: ProcessSetting): void {
  if (config[low] > config[high])
    throw new ConfigError(`${low} (${config[low]}) must not be above ${high} (${config[high]})`);
}

/** The environment variable of a setting: `Server.DataDir` is `PRESSROOM_SERVER_DATADIR`. */
export function variableName(name: string): string {
  return `PRESSROOM_${name.replace('.', '_').toUpperCase()}`;
}

function readSettingsFile(file: string, problems: string[]): Record<string, unknown> {
  let sections: Record<string, unknown>;
  try {
    sections = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new ConfigError(`cannot read the settings file ${file}: ${problemIn(cause)}`, { cause });
  }
  const values: Record<string, unknown> = {};
  for (const [section, keys] of Object.entries(sections)) {
    if (typeof keys !== 'object' || keys === null) {
      problems.push(`${file}: ${section} must stand in a section, such as [Server]`);
      continue;
    }
    for (const [key, value] of Object.entries(keys)) {
      const name = `${section}.${key}`;
      if (!isSetting(name)) problems.push(`${file}: there is no setting ${name}; ${othersOf(name)}`);
      else values[name] = check(name, asText(SETTINGS[name], value), problems);
    }
  }
  return values;
}

/** Position and problem, without the surrounding lines shown by the parser, which may contain a password. */
function problemIn(cause: unknown): string {
  if (!(cause instanceof TomlError)) return messageOf(cause);
  const what = cause.message.split('\n', 1)[0]!.replace('Invalid TOML document: ', '');
  return `line ${cause.line}, column ${cause.column}: ${what}`;
}

/** A list in the file stands for comma-separated values. */
function asText(setting: Setting, value: unknown): unknown {
  const isList = setting.type === 'text' && setting.isList === true;
  const isWords = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList && isWords ? value.join(',') : value;
}

function readEnvironment(env: Environment, problems: string[]): Record<string, unknown> {
  problems.push(...unknownIn(env));
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS).filter(isSetting)) {
    const raw = env[variableName(name)];
    if (raw !== undefined) values[name] = check(name, fromText(SETTINGS[name], raw), problems);
  }
  return values;
}

/** Completes the message of a wrong name: the keys of its section, or the sections. */
function othersOf(name: string): string {
  const names = Object.keys(SETTINGS);
  const [section] = name.split('.', 1);
  const keys = names.filter((known) => known.startsWith(`${section}.`));
  const sections = new Set(names.map((known) => known.split('.', 1)[0]));
  return keys.length > 0
    ? insteadOf(name.slice(name.indexOf('.')), names, keys)
    : `the sections are ${[...sections].join(', ')}`;
}

/**
 * The settings of other sections with this key, or else those of the section.
 *
 * @param key with what separates it from the section
 */
function insteadOf(key: string, names: readonly string[], ofSection: readonly string[]): string {
  const meant = names.filter((known) => !ofSection.includes(known) && known.endsWith(key));
  return meant.length > 0
    ? `did you mean ${meant.join(' or ')}?`
    : `of this section there are ${ofSection.join(', ')}`;
}

/** Variables of the command line in the same shell. */
const OF_THE_COMMAND = new Set(['PRESSROOM_GIT_TOKEN', 'PRESSROOM_PACKAGES_PASSWORD']);

/** A variable in one of our sections without a setting is a typo; others, such as the Slack bot's, are ignored. */
function unknownIn(env: Environment): string[] {
  const known = Object.keys(SETTINGS).map(variableName);
  return Object.keys(env).flatMap((name) => {
    const others = known.filter((variable) => sectionOf(variable) === sectionOf(name));
    if (known.includes(name) || OF_THE_COMMAND.has(name) || others.length === 0) return [];
    const key = name.slice(sectionOf(name).length - 1);
    return [`there is no setting for the variable ${name}; ${insteadOf(key, known, others)}`];
  });
}

/** Variables of no known program: their section does not exist. */
export function unknownVariables(env: Environment): string[] {
  const known = new Set(Object.keys(SETTINGS).map((name) => sectionOf(variableName(name))));
  return Object.keys(env).filter(
    (name) => name.startsWith('PRESSROOM_') && !known.has(sectionOf(name)) && !OF_OTHER_PROGRAMS.test(name),
  );
}

/**
 * Variables of the settings file, of processes that a server starts, the Slack bot, pipelines and tests, and those that Kubernetes sets for
 * a service `pressroom`.
 */
const OF_OTHER_PROGRAMS =
  /^PRESSROOM_(?:CONFIG|SERVING|PROCESS|SLACK_.*|ID_TOKEN|GITLAB_TOKEN|SOCKET|DEMO_PORT|TEST_.*|PORT(?:_.*)?|SERVICE_.*)$/;

/** `PRESSROOM_HTTP_` of `PRESSROOM_HTTP_LISTEN`. */
function sectionOf(variable: string): string {
  return /^PRESSROOM_[A-Z0-9]+_/.exec(variable)?.[0] ?? variable;
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function fromText(setting: Setting, raw: string): unknown {
  if (setting.type === 'text') return raw;
  if (setting.type === 'boolean')
    return { true: true, false: false, 1: true, 0: false }[raw.toLowerCase()] ?? raw;
  return raw.trim() === '' ? raw : Number(raw);
}

/** Returns the value as the server uses it; of a wrong one nothing, but what is wrong is among the problems then. */
function check(name: SettingName, value: unknown, problems: string[]): unknown {
  const setting: Setting = SETTINGS[name];
  const mustBe = (expected: string) => void problems.push(`${name} must be ${expected}`);
  if (setting.type === 'text') {
    const { values, form } = setting;
    if (typeof value !== 'string' || (values && !values.includes(value)))
      return mustBe(values ? `one of ${values.join(', ')}` : 'text');
    // The value is not repeated: addresses may contain a password.
    return form && value !== setting.default && !form.holds(value) ? mustBe(form.expected) : value;
  }
  if (setting.type === 'boolean') return typeof value === 'boolean' ? value : mustBe('true or false');
  const number = typeof value === 'bigint' ? Number(value) : value;
  const fits =
    typeof number === 'number' &&
    number >= setting.min &&
    number <= setting.max &&
    (setting.type === 'number' || Number.isInteger(number));
  if (fits) return number;
  const kind = setting.type === 'number' ? 'a number' : 'a whole number';
  return mustBe(`${kind} from ${setting.min} to ${setting.max}`);
}
