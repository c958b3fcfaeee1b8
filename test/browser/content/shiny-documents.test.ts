// Covers interactive R Markdown with several documents, with real R and a real browser.
import { openBrowser, publish, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

function documentOf(text: string): string {
  return `---
title: Interactive
output: html_document
runtime: shiny
---
${text}

\`\`\`{r}
numericInput("n", "n", 3)
renderText(paste("square", input$n^2))
\`\`\`
`;
}

test('a link from one interactive document to another opens it', async () => {
  await using server = await startTestServer();
  const files = {
    'index.Rmd': documentOf('[Go on](second.Rmd#there)'),
    'second.Rmd': documentOf('This is the second.'),
  };
  const metadata = { appmode: 'rmd-shiny', primary_rmd: 'index.Rmd' };
  const { guid, task } = await publish(await server.person('publisher'), files, { metadata });
  expect(task).toMatchObject({ code: 0 });
  await using browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${server.url}/content/${guid}/`);
  await page.getByText('square 9').waitFor();
  await page.getByText('Go on').click();
  await page.getByText('This is the second.').waitFor();
  await page.locator('#n').fill('5');
  await page.getByText('square 25').waitFor();
});
