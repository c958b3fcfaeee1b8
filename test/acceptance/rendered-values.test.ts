// Covers real R Markdown and Jupyter documents with parameters: how values are passed, and the mail.
import {
  finishedTask,
  openMailbox,
  publish,
  startTestServer,
  type Mailbox,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Would abort the rendering if any part of it were run as code. */
const HOSTILE = `South"); import os; os.abort() # '''\\n{} \`r quit()\``;

const stack = new AsyncDisposableStack();
let mailbox: Mailbox;
let server: TestServer;
let owner: Person;
beforeAll(async () => {
  mailbox = stack.use(await openMailbox());
  server = stack.use(await startTestServer({ own: true }));
  owner = await server.person('publisher');
  // From here on, all accounts count as confirmed.
  await server.restart({ 'Mail.URL': mailbox.url });
});
afterAll(() => stack.disposeAsync());

/** Creates a variant with these values, renders it and returns its page. */
async function renderVariant(guid: string, values: object) {
  const body = { name: 'South', values, visibility: 'public' };
  const { key, task_id } = (await owner.call('POST', `/v1/content/${guid}/variants`, { body })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0, error: '' });
  const { bytes } = await owner.call('GET', `//content/${guid}/_variant/${key}/`);
  return { page: bytes.toString(), at: `/v1/content/${guid}/variants/${key}` };
}

test('R Markdown gets text, logical and numeric values, and its mail the attachments', async () => {
  const report = `---
title: Sales
params:
  region: North
  quiet: false
  year: 2024
  budget: 1000
  among: { choices: ["NA", EU], value: [EU], multiple: true }
---

Numbers of \`r params$region\` among \`r paste(params$among, is.na(params$among))\` after \`r params$year + 1\` for \`r format(params$budget)\`

\`\`\`{r}
plot(1)
write.csv(1, "numbers.csv")
rmarkdown::output_metadata$set(
  rsc_email_subject = if (params$quiet) "Quiet sales" else "Sales",
  rsc_email_attachments = list("numbers.csv", "../../etc/passwd"),
  rsc_email_suppress_scheduled = params$quiet
)
\`\`\`
`;
  const metadata = { appmode: 'rmd-static', primary_rmd: 'sales.Rmd', has_parameters: true };
  const { guid, path } = await publish(owner, { 'sales.Rmd': report }, { metadata });
  expect((await owner.call('GET', path)).bytes.toString()).toContain(
    'Numbers of North among EU FALSE after 2025',
  );
  const { page, at } = await renderVariant(guid, {
    region: HOSTILE,
    quiet: true,
    year: '2030',
    budget: 3_000_000_000,
    among: ['NA'],
  });
  expect(page).toMatch(/Numbers of South.*import os.*quit\(\).*among NA FALSE after 2031 for 3e\+09/s);
  const { db } = server.running.services.storage;
  const rows = await db.selectFrom('rendering').selectAll().where('variant_key', 'is not', null).execute();
  expect(rows.map(({ mail }) => JSON.parse(mail!).isSuppressed)).toEqual([true]);

  const recipients = [{ type: 'user', value: owner.guid }];
  await owner.call('PUT', `${at}/recipients`, { body: { recipients } });
  expect((await owner.call('POST', `${at}/send`)).body).toEqual({ mails: 1 });
  const mail = await mailbox.next();
  expect(/^Subject: (.*)$/m.exec(mail)?.[1]).toBe('Quiet sales');
  const files = [...mail.matchAll(/filename="?([^"\n;]+)/g)].map(([, name = '']) => name);
  expect(files.toSorted()).toEqual(['numbers.csv', 'picture-1.png']);
  const mailed = decodedHtml(mail);
  expect(mailed.includes('after 2031')).toBe(true);
  expect(mailed.includes('src="cid:picture-1"')).toBe(true);
  expect(mailed.includes('<script')).toBe(false);
  // The file is for the server, not for visitors.
  expect((await owner.call('GET', `${path}.pressroom-mail.json`)).status).toBe(404);
  expect((await owner.call('GET', `${path}numbers.csv`)).status).toBe(200);
});

test('a notebook gets the values as literals in a cell after the tagged one', async () => {
  const cell = (source: string, tags: string[] = []) => ({
    cell_type: 'code',
    source,
    metadata: { tags },
    outputs: [],
    execution_count: null,
  });
  const notebook = {
    cells: [
      cell('region = "North"  # where\nyear = 2024\nflag = False', ['parameters']),
      cell('print(f"<{region}|{year + 1}|{flag is True}>")'),
    ],
    metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
    nbformat: 4,
    nbformat_minor: 4,
  };
  const metadata = { appmode: 'jupyter-static', entrypoint: 'sales.ipynb' };
  const { guid, path } = await publish(owner, { 'sales.ipynb': JSON.stringify(notebook) }, { metadata });
  expect((await owner.call('GET', path)).bytes.toString()).toContain('&lt;North|2025|False&gt;');
  const { parameters } = (await owner.call('GET', `/v1/content/${guid}/parameters`)).body;
  expect(parameters).toMatchObject([{ name: 'region', help: 'where' }, { name: 'year' }, { name: 'flag' }]);
  const { page } = await renderVariant(guid, { region: HOSTILE, flag: true });
  expect(page).toMatch(/&lt;South.*import os; os.abort\(\) # .*quit\(\).*\|2025\|True&gt;/);
});

/** Returns the HTML part of a mail, decoded. */
function decodedHtml(mail: string): string {
  const part = mail.split(/^--/m).find((one) => /content-type: text\/html/i.test(one)) ?? '';
  const body = part.slice(part.indexOf('\n\n'));
  return /content-transfer-encoding: base64/i.test(part) ? Buffer.from(body, 'base64').toString() : body;
}
