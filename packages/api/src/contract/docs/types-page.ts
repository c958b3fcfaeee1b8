// docs/reference/types.md: every kind of content, from the table of kinds.
import { kindLabel, kinds, type ContentKind, type Detection, type Engine } from '../kinds.ts';

const SERVED: Readonly<Record<Engine, string>> = {
  files: 'as deployed',
  document: 'rendered when deployed, on request, and on a schedule',
  application: 'run on demand',
};

export function typesPage(): string {
  return `# Types of content

Made from the table of kinds (\`npm run generate\`). The type is found by what is in the directory; \`--type\` of
\`pressroom deploy\` names it. [How content runs](../operate/content.md) has more on what the server requires,
[Publish from Python](../publish/python.md) and [from R](../publish/r.md) on entry points.

| type | what it is | recognized by | requires on the server | how it is served |
|---|---|---|---|---|
${kinds.map((kind) => row(kind.appmode, kind.plural, signOf(kind), kind.requires, servedOf(kind))).join('\n')}

Visitors of what is rendered see the last successful rendering. Types that are [in Python](../publish/python.md#applications) and no API bring
their framework as a package of the content; their visitors come back to the process of their page.

## What they are called

Clients that speak the API's first version see the type of the last column
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
  const usual = remembersVisitors ? `${SERVED[engine]}; visitors come back to the process of their page` : '';
  return served ?? (usual || SERVED[engine]);
}

function signOf({ detection }: ContentKind): string {
  if (detection === null) return 'its manifest, or the type that is named';
  if (detection.by === 'python') return signOfPython(detection);
  return detection.by === 'file' ? detection.why : detection.sign;
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
