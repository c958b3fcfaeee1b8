// What `npm start` prints once the server runs.
import { join, relative } from 'node:path';

export interface Published {
  readonly name: string;
  readonly url: string | null;
  readonly note: string;
}

interface Summary {
  readonly url: string;
  readonly administrator: string;
  readonly dataDir: string;
  readonly published: readonly Published[];
  readonly link: string | null;
}

export function summary({ url, administrator, dataDir, published, link }: Summary): string {
  const shown = (file: string) => {
    const path = relative(process.env.INIT_CWD ?? process.cwd(), join(dataDir, file));
    return path.startsWith('..') ? join(dataDir, file) : path;
  };
  const connect = `CONNECT_SERVER=${url} CONNECT_API_KEY=$(cat ${shown('admin-key')})`;
  const width = Math.max(...published.map((item) => item.name.length));
  const lines = published.map(
    ({ name, url: at, note }) => `    ${name.padEnd(width)}  ${at ?? `not live: ${note}`}`,
  );
  return `
  Pressroom is running at ${url}  (Ctrl-C stops it)

  Content
${lines.join('\n')}

  Dashboard      ${link ?? `${url}/__dashboard__/`}${link === null ? '' : '\n                 (signs you in as the administrator, once and within an hour)'}
  API            ${url}/__api__/openapi.json
  Administrator  ${administrator}, password in ${shown('admin-password')}, API key in ${shown('admin-key')}
  Command line   ${connect} npx pressroom deploy DIR
  Slack          ${connect} npm run slack:demo
                 (in another terminal: the bot's channel in a browser)
  Editor         npm run vsix, then install packages/vscode/dist/*.vsix in VS Code
`;
}
