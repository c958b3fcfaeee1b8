import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readVariables, VariablesError } from './read-variables.ts';

const read = (text: string) => Object.fromEntries(readVariables(text, '.env'));

describe('Values', () => {
  test.each([
    ['A=pa#ss', { A: 'pa#ss' }],
    ['A=pa ss # a comment', { A: 'pa ss' }],
    ['A=#1', { A: '#1' }],
    ['A= # nothing', { A: '' }],
    ['A=   \nB=2', { A: '', B: '2' }],
    ["A=it's", { A: "it's" }],
    ['A = 1 ', { A: '1' }],
    ['A=${B}\\n', { A: '${B}\\n' }],
    ['A="a\\"b"', { A: 'a"b' }],
    ['A="C:\\\\new"', { A: 'C:\\new' }],
    ['A="C:\\dir"', { A: 'C:\\dir' }],
    ['A="\\r\\n\\t" # three', { A: '\r\n\t' }],
    ["A='a\\nb'", { A: 'a\\nb' }],
    ['A="a\r\nb"\rB=\'c\nd\'', { A: 'a\nb', B: 'c\nd' }],
    ['A=1\rB=2\r\nC=3', { A: '1', B: '2', C: '3' }],
    ['export\tA=1\n export  B=2\nexport=3', { A: '1', B: '2', export: '3' }],
    ['\uFEFFA=1', { A: '1' }],
    ['# of this desk\n\n \t\nA=1\nA=2\n', { A: '2' }],
  ])('reads %j', (text, values) => {
    expect(read(text)).toEqual(values);
  });

  test('reads any quoted value unchanged', () => {
    const escape = (text: string) =>
      text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,9}$/);
    const value = fc.string({ unit: fc.constantFrom(...'aä😀 \t\n\r\'"`\\#=$n') });
    fc.assert(
      fc.property(fc.dictionary(name, value), (values) => {
        const lines = Object.entries(values).map(([key, text]) =>
          /['\r]/.test(text) ? `${key}="${escape(text)}"` : `${key}='${text}'`,
        );
        expect(readVariables(lines.join('\r\n'), '.env')).toEqual(new Map(Object.entries(values)));
      }),
    );
  });
});

describe('Invalid lines', () => {
  test.each([
    ['hunter2', 1],
    ['A=1\nB 2', 2],
    ['A=1\n\n1B=hunter2', 3],
    ['Ä=1', 1],
    ['A-B=1', 1],
    ['=hunter2', 1],
    ['export A', 1],
    ['A: hunter2', 1],
    ['A=1\nB="hunter2\nC=3\n', 2],
    ["A='it's'", 1],
    ['A="a" "b"', 1],
    ['A="a"#b', 1],
    ['A=`hunter2`', 1],
    ['A=a\0b', 1],
    [Buffer.from('A=1\nB="hünter2"', 'latin1').toString(), 2],
  ])('%j is rejected with its line number', (text, line) => {
    const refused = expect(() => read(text));
    refused.toThrow(new VariablesError('.env', line));
    refused.not.toThrow('hunter2');
  });

  test('throw only VariablesError, whatever the text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'AB= \t\n\r\'"`\\#.\0\uFEFF', 'export ', '__proto__'),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          expect(readVariables(text, '.env')).toBeInstanceOf(Map);
        } catch (error) {
          if (!(error instanceof VariablesError)) throw error;
          expect(error.line).toBeLessThanOrEqual(text.split(/\r\n?|\n/).length);
        }
      }),
    );
  });

  test.each([`A="${'\\"'.repeat(1_000_000)}`, `A=${' '.repeat(1_000_000)}x"`, `A='${"'".repeat(1_000_000)}`])(
    'reads or rejects a long line: %#',
    (text) => {
      try {
        expect(readVariables(text, '.env').size).toBe(1);
      } catch (error) {
        expect(error).toBeInstanceOf(VariablesError);
      }
    },
  );
});
