// Detects content without code on the server: pages and existing manifests.
import { isObject } from '../../contract/is-object.ts';
import { parseJson } from '../manifest/json-position.ts';
import type { ContentCandidate, ContentView } from './content-candidate.ts';

/** An existing manifest.json decides; a broken one is reported when it is read. */
export function detectManifest(view: ContentView): ContentCandidate[] {
  if (!view.names.has('manifest.json')) return [];
  const parsed = parseJson(view.text('manifest.json'));
  // Only the beginning of a large manifest is available; every tool writes metadata early.
  const metadata = parsed.ok
    ? isObject(parsed.value) && parsed.value.metadata
    : metadataOf(view.text('manifest.json'));
  if (!isObject(metadata) || typeof metadata.appmode !== 'string') return [];
  const primary = [metadata.primary_rmd, metadata.primary_html, metadata.entrypoint].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return [
    {
      appmode: metadata.appmode,
      contentCategory: typeof metadata.content_category === 'string' ? metadata.content_category : '',
      primary: typeof primary === 'string' ? primary : '',
      entrypoint: typeof metadata.entrypoint === 'string' ? metadata.entrypoint : String(primary ?? ''),
      hasParameters: metadata.has_parameters === true,
      confidence: 1,
      why: `manifest.json already describes this directory as ${metadata.appmode}.`,
      reason: { code: 'manifest', args: [metadata.appmode] },
    },
  ];
}

/** Top-level HTML. Less likely next to source that could have generated the page. */
export function detectStatic(view: ContentView): ContentCandidate[] {
  // Hidden files are not served.
  const pages = [...view.names].filter((name) => /^[^.].*\.html?$/i.test(name));
  const source = [...view.names].some((name) => /\.(rmd|ipynb|r|py)$/i.test(name));
  const pin = view.names.has('index.html') && /^(pin_hash|api_version)\s*:/m.test(view.text('data.txt'));
  return pages.map((name) => {
    const index = /^index\.html?$/i.test(name);
    const base = index ? 0.9 : pages.length === 1 ? 0.8 : 0.5;
    return {
      appmode: 'static',
      contentCategory: pin && name === 'index.html' ? 'pin' : '',
      primary: name,
      entrypoint: name,
      hasParameters: false,
      confidence: source ? base / 2 : base,
      why:
        pin && name === 'index.html'
          ? 'index.html with data.txt is a pinned object, served as it is.'
          : `${name} is a page that is served as it is.`,
      reason: { code: pin && name === 'index.html' ? 'pin' : 'page', args: [name] },
    };
  });
}

function metadataOf(text: string): unknown {
  const found = /"metadata"\s*:\s*(\{[^{}]*\})/.exec(text);
  const parsed = parseJson(found?.[1] ?? '');
  return parsed.ok ? parsed.value : undefined;
}
