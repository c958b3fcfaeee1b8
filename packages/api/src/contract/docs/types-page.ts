// docs/reference/types.md: every kind of content, from the table of kinds.
import { kindLabel, kinds, type ContentKind } from '../find-kind.ts';
import type { Detection, Engine } from '../kind-row.ts';

const SERVED: Readonly<Record<Engine, string>> = {
  files: 'as deployed',
  document: 'rendered when deployed, on request, and on a schedule',
  application: 'run on demand',
};

export function typesPage(): string {
  return `# Types of content

Made from \`packages/api/src/contract/kinds.ts\` by \`npm run generate\`; do not edit.

The type is detected from the files of the directory; \`pressroom deploy --type\` names it instead.
[How content runs](../operate/content.md) has more on what the server requires, [Publish from Python](../publish/python.md)
and [from R](../publish/r.md) on entry points.

| type | what it is | recognized by | requires on the server | how it is served |
|---|---|---|---|---|
${kinds.map((kind) => row(kind.appmode, kind.plural, signOf(kind), kind.requires, servedOf(kind))).join('\n')}

Visitors of a document see its last successful rendering. The framework of an
[application in Python](../publish/python.md#applications) is a package of the content.

## What they are called

Clients that speak the API's first version see the \`app_mode\` of the last column
([decision](../adr/0014-kinds-the-contract-does-not-know.md)).

| type | in English | in German | \`app_mode\` |
|---|---|---|---|
${kinds.map(({ appmode, app_mode }) => row(appmode, kindLabel(appmode), kindLabel(appmode, 'de'), `\`${app_mode}\``)).join('\n')}
`;
}

function row(type: string, ...cells: string[]): string {
  return `| \`${type}\` | ${cells.join(' | ')} |`;
}

function servedOf({ engine, served, remembersVisitors }: ContentKind): string {
  const returning = remembersVisitors ? '; visitors come back to the process of their page' : '';
  return served ?? SERVED[engine] + returning;
}

function signOf({ detection }: ContentKind): string {
  if (detection === null) return 'nothing: name it with `--type`, or bring a `manifest.json`';
  return detection.by === 'python' ? signOfPython(detection) : detection.sign;
}

function signOfPython({ constructors, script, protocol }: Extract<Detection, { by: 'python' }>): string {
  const made = Object.keys(constructors).map((name) => `\`${name}(…)\``);
  const calls = script?.calls === undefined ? '' : ` with \`${script.calls}()\``;
  return [
    ...made,
    ...(script ? [`\`import ${script.imports}\`${calls}`] : []),
    ...(protocol ? [`a bare ${protocol.toUpperCase()} function`] : []),
  ].join(', ');
}
