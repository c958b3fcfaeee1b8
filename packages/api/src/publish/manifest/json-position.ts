// Parses JSON and reports the position of an error, which the engine's own message may lack.

export type ParsedJson = { ok: true; value: unknown } | { ok: false; line: number; column: number };

/** Parses `text`; an error has the line and column (both from 1) of the first invalid character. */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    const before = text.slice(0, firstError(text));
    const line = before.split('\n').length;
    return { ok: false, line, column: before.length - before.lastIndexOf('\n') };
  }
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** JSON forbids raw control characters in strings. False beyond the end of the text. */
const isPlain = (code: number) => code >= 0x20 && code !== 0x22 && code !== 0x5c;

/** Scans the text with a stack of open brackets (no recursion: nesting is unbounded) to the first invalid character. */
function firstError(text: string): number {
  let at = 0;
  const open: ('{' | '[')[] = [];
  let expect: 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'next' = 'value';
  function take(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return false;
    at = pattern.lastIndex;
    return true;
  }
  /** What a string contains as it is. No pattern: it would sometimes exceed the stack at a long string. */
  function takePlain(): boolean {
    const start = at;
    while (isPlain(text.charCodeAt(at))) at += 1;
    return at > start;
  }
  function takeString(): boolean {
    const start = at;
    if (text.charAt(at) !== '"') return false;
    at += 1;
    while (takePlain() || take(ESCAPE));
    if (text.charAt(at) === '"') at += 1;
    else at = start;
    return at > start;
  }
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
    const char = text.charAt(at);
    const inside = open.at(-1);
    const closes =
      (char === '}' && inside === '{' && (expect === 'next' || expect === 'key-or-close')) ||
      (char === ']' && inside === '[' && (expect === 'next' || expect === 'value-or-close'));
    if (closes) {
      open.pop();
      at += 1;
      expect = 'next';
    } else if (expect === 'value' || expect === 'value-or-close') {
      if (char === '{' || char === '[') {
        open.push(char);
        at += 1;
        expect = char === '{' ? 'key-or-close' : 'value-or-close';
      } else if (takeString() || take(LITERAL)) expect = 'next';
      else return at;
    } else if (expect === 'key' || expect === 'key-or-close') {
      if (!takeString()) return at;
      expect = 'colon';
    } else if (expect === 'colon') {
      if (char !== ':') return at;
      at += 1;
      expect = 'value';
    } else {
      if (char !== ',' || inside === undefined) return at;
      at += 1;
      expect = inside === '{' ? 'key' : 'value';
    }
  }
}
