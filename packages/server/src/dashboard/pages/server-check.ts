// Checks the environment of the server for administrators: disk, database, mail, addresses with certificates, R,
// Python.
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table } from '../parts.ts';

const STATES = {
  good: html`<span class="good">OK</span>`,
  warning: html`<strong>warning</strong>`,
  bad: html`<span class="bad">problem</span>`,
};

export async function serverCheck({ call, root }: PageRequest): Promise<Page> {
  const { server, findings } = await call('examineServer');
  const count = (state: keyof typeof STATES) => findings.filter((one) => one.state === state).length;
  const rows = findings.map(({ name, state, message, remedy }) => [
    name,
    STATES[state],
    html`${message}${remedy !== '' && html`<br />${remedy}`}`,
  ]);
  return {
    title: 'Check of the server',
    section: 'server',
    body: html`<p>
        ${server} was checked just now: problems ${count('bad')}, warnings ${count('warning')}.
        <a href="${root}/server-check">Check again</a>. From a terminal: <code>pressroom admin doctor</code>.
      </p>
      ${table('What the server needs', ['What', 'State', 'Details'], rows)}`,
  };
}
