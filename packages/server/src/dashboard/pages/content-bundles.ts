// The bundles of a content item: made active, downloaded, deleted.
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { actionButton, bytes, pageNumber, paging, table, time } from '../parts.ts';
import { contentPage, isCollaborator, loadItem } from './content-frame.ts';
import { dropZone } from './publish.ts';

const PAGE = 100;

export async function contentBundles(request: PageRequest): Promise<Page> {
  const { call, params, root } = request;
  const item = await loadItem(request);
  const bundles = await call('getBundlesGa', { params: { guid: params.guid } });
  const path = `/content/${item.guid}/bundles`;
  const mayDeploy = isCollaborator(request, item);
  // The files themselves are for those who work on them, not for every administrator.
  const own = item.app_role === 'owner' || item.app_role === 'editor';
  const first = (pageNumber(request) - 1) * PAGE;
  const rows = bundles
    .toReversed()
    .slice(first, first + PAGE)
    .map((bundle) => [
      bundle.id,
      time(bundle.created_time),
      bytes(bundle.size),
      [bundle.r_version && `R ${bundle.r_version}`, bundle.py_version && `Python ${bundle.py_version}`]
        .filter(Boolean)
        .join(', '),
      bundle.active ? html`<strong class="good">active</strong>` : null,
      html`${own && html`<a href="${root}${path}/${bundle.id}/download">Download</a> `}
      ${mayDeploy && !bundle.active && actionButton(request, `/content/${item.guid}/deploy`, 'Activate', { bundle_id: bundle.id })}
      ${own && !bundle.active && actionButton(request, `${path}/${bundle.id}/delete`, 'Delete')}`,
    ]);
  const head = ['Bundle', 'Uploaded', 'Size', 'Built with', 'State', ''];
  const list = html`${table('Bundles', head, rows)}${paging(request, path, PAGE, bundles.length, 'bundles')}`;
  const upload =
    own &&
    request.caller.role !== 'viewer' &&
    html`<h2>Upload a new version</h2>
      ${dropZone(request, item.guid)}
      <noscript><p>Uploading here needs JavaScript; the command line and the editor do not.</p></noscript>`;
  const page = contentPage(request, item, 'bundles', html`${list}${upload}`);
  return { ...page, publishes: true };
}

export async function deleteBundle({ call, params }: PageRequest): Promise<Redirect> {
  const { guid, id } = params;
  await call('deleteBundleGa', { params: { guid, id } });
  return { to: `/content/${guid}/bundles`, note: `Bundle ${id} deleted.` };
}
