// How to publish: drop files here, command line, editor.
import { errors, type ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { mayHaveCanary } from './start-canary.ts';

export async function publish(request: PageRequest): Promise<Page> {
  if (request.caller.role === 'viewer') throw errors.operationDenied();
  return {
    title: 'Publish',
    section: 'publish',
    body: publishInstructions(request),
    publishes: true,
  };
}

/** For publishers. */
export function publishInstructions(request: PageRequest): Html {
  const { base } = request;
  return html`${dropZone(request)}
    <noscript><p>With JavaScript you could also drop a directory or an archive here.</p></noscript>
    <h2>From the command line</h2>
    <p>
      Sign in once, then publish any directory. In a clone of Pressroom's repository, write
      <code>npx pressroom</code>; elsewhere install the command first, because npx would fetch another package
      of that name. If the type of the content is not detected, choose it with <code>--type</code>, and its
      main file with <code>--entrypoint</code>.
    </p>
    <pre class="command" role="group" tabindex="0" aria-label="Commands" data-copy>
pressroom login ${base}
pressroom deploy my-report</pre>
    <h2>In the editor</h2>
    <p>
      In Visual Studio Code with the Pressroom extension,
      <a href="vscode://pressroom.pressroom/publish">publish the open folder</a>, or press Ctrl+K Shift+P. The
      address of this server is <code>${base}</code>.
    </p>`;
}

/** Accepts dropped files. @param item to publish a new version of; without it, new content */
export function dropZone(request: PageRequest, item?: ContentGa): Html {
  const { root } = request;
  return html`<section
    class="drop"
    data-publish
    data-root="${root}"
    ${item && html`data-guid="${item.guid}"`}
    aria-label="Upload"
    hidden
  >
    <p><strong>Drop a directory or an archive here</strong></p>
    <p class="choices">
      <label class="button">Choose a directory <input type="file" webkitdirectory multiple /></label>
      <label class="button"
        >Choose an archive or a file
        <input type="file" multiple accept=".zip,.tar.gz,.tgz,.tar,.html,.htm,.Rmd,.qmd,.ipynb,.R,.py"
      /></label>
    </p>
    ${
      item &&
      mayHaveCanary(request, item) &&
      html`<p class="field">
        <label for="upload_share">As a canary: share of new sessions (%)</label>
        <input id="upload_share" type="number" min="0" max="50" aria-describedby="upload_share-hint" />
        <small id="upload_share-hint"
          >1 to 50; 0: live at once. Leave empty to do as the settings of this content say</small
        >
      </p>`
    }
    <p class="quiet">
      Web pages, R Markdown, Quarto, notebooks, Shiny, Python and Node.js applications; .zip or .tar.gz.
      Python content needs a requirements.txt, R content is best with an renv.lock.
    </p>
    <progress max="1" value="0" aria-label="Upload" hidden></progress>
    <p role="status"></p>
  </section>`;
}
