// pressroom open: opens published content in the browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

export const open: Command = {
  name: 'open',
  synopsis: 'open [CONTENT]',
  summary: 'Open published content in the browser',
  help: [
    '  --dashboard        Open its dashboard page instead',
    '  --print            Print the address only',
  ],
  options: { dashboard: { type: 'boolean' }, print: { type: 'boolean' } },
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const content = await client.getContent({ guid }, { signal: context.signal });
    const isDashboard = context.values['dashboard'] === true;
    const address = isDashboard ? content.dashboard_url : content.url;
    if (!address)
      throw new UsageError(
        isDashboard
          ? 'This server does not report a dashboard address.'
          : 'This server does not report an address of the content.',
      );
    const url = URL.canParse(address, `${client.url}/`) ? new URL(address, `${client.url}/`) : undefined;
    // Opens web addresses only, whatever a server returns.
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new UsageError('The address of the content is not a web address.');
    await show(context, { url: url.href }, () => [[url.href]]);
    if (context.json || context.values['print'] === true) return EXIT.ok;
    if (!(await launch(url.href)))
      context.terminal.note('Could not start a browser. Open the address above.');
    return EXIT.ok;
  },
};

/** Starts the browser without a shell: nothing in an address is executed. */
async function launch(address: string): Promise<boolean> {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  const child = spawn(program as string, args, { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
    child.unref();
    return true;
  } catch {
    return false;
  }
}
