// Compares two bundles of a content item: which files and lines differ.
import type { Readable } from 'node:stream';
import { engineOf, errors } from '@pressroom/api/contract';
import type { FileChange } from '@pressroom/api/publish';
import { compareBundles as compare } from '../../bundles/compare-bundles.ts';
import type { ArchiveResponse } from '../../http/request.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { bytes, table } from '../parts.ts';
import { chooser } from './content-bundles.ts';
import { contentPage, loadItem } from './content-frame.ts';

const SIGNS = { same: ' ', added: '+', removed: '-', skipped: ' ' } as const;

export async function compareBundles(request: PageRequest): Promise<Page> {
  const { call, params, query } = request;
  const { guid } = params;
  const item = await loadItem(request);
  const [before, after] = [query.get('from') ?? '', query.get('to') ?? ''];
  for (const id of [before, after])
    if (!/^\d{1,15}$/.test(id)) throw errors.invalidParameter({ message: 'Choose two bundles to compare.' });
  // Requires the right to download both bundles, and is logged in the audit log.
  const open = async (id: string): Promise<Readable> => {
    const archive = await call('downloadBundleGa', { params: { guid, id } });
    return (archive as unknown as ArchiveResponse).stream;
  };
  const { facts, files, same, more } = await compare(request.caller.guid, (which) =>
    open(which === 'before' ? before : after),
  );
  const bundles = await call('getBundlesGa', { params: { guid } });
  const path = `/content/${item.guid}/bundles`;
  const ids = bundles.map(({ id }) => id);
  const rows = files.map((file, i) => [
    file.lines === null ? file.path : html`<a href="#file-${i}">${file.path}</a>`,
    file.change,
    file.before === null ? null : bytes(file.before),
    file.after === null ? null : bytes(file.after),
  ]);
  const counted = `${same} ${same === 1 ? 'file is' : 'files are'} the same${more > 0 ? `; ${more} more changed` : ''}.`;
  const body = html`${chooser(request, path, ids, before, after)}
    <h2>From bundle ${before} to bundle ${after}</h2>
    ${
      facts.length > 0 &&
      table(
        'Changes in the manifest',
        ['What', 'Before', 'After'],
        facts.map((fact) => [fact.what, fact.before, fact.after]),
      )
    }
    ${table('Changed files', ['File', 'Change', 'Before', 'After'], rows)}
    <p>${counted}</p>
    ${
      engineOf(item.app_mode) !== 'application' &&
      html`<p>
        <a href="${request.root}${path}/pages?from=${before}&to=${after}">What readers see of both</a>
      </p>`
    }
    ${files.map(linesOf)}`;
  return contentPage(request, item, 'bundles', body, `Bundles ${before} and ${after}`);
}

function linesOf({ path, lines }: FileChange, i: number): Html | false {
  if (lines === null) return false;
  const shown = lines.map(
    ({ kind, text }) => html`<span class="line ${kind}">${SIGNS[kind]} ${text} </span>`,
  );
  return html`<h3 id="file-${i}">${path}</h3>
    <pre class="diff" role="group" tabindex="0" aria-label="Changes of ${path}">${shown}</pre>`;
}
