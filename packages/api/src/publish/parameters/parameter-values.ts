// Parses parameter values of a report as people type them, and finds the matching variant.

/** A word that is no `name=value`, or whose name no parameter can have. */
export class ParameterValueError extends Error {
  override readonly name = 'ParameterValueError';
  readonly word: string;

  constructor(word: string) {
    super(`Not a value: ${word}.`);
    this.word = word;
  }
}

/** Names that every object has: as the name of a value they would mean something else. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * From words such as `region=North`; a repeated name makes a list. As text: the server converts each to the type of its
 * parameter.
 * @throws ParameterValueError
 */
export function readParameterValues(words: readonly string[]): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    if (at < 1 || RESERVED.has(name)) throw new ParameterValueError(word);
    const before = values.get(name);
    const value = word.slice(at + 1);
    values.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(values);
}

/** By key, or by name in any case. */
export function findVariant<T extends { readonly key: string; readonly name: string }>(
  variants: readonly T[],
  name: string,
): T | undefined {
  return variants.find((one) => one.key === name || one.name.toLowerCase() === name.toLowerCase());
}
