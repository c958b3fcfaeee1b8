// Publishes files that are dropped on a page or chosen there: reads a directory or an archive, asks the server to detect
// its content type, packs it, uploads it, and shows the log of the deploy.
(function () {
  'use strict';
  const xsrf = document.querySelector('meta[name="xsrf"]').content;
  const text = new TextEncoder();
  /** Never published nor searched. */
  const LEFT_OUT = new Set([
    '.git',
    'node_modules',
    '.venv',
    'venv',
    '__pycache__',
    '.Rproj.user',
    '.DS_Store',
    // A custom folder icon of macOS, which is invisible there.
    'Icon\r',
    '__MACOSX',
  ]);
  /** Files from which the server detects the content type. */
  const TELLING =
    /^[^/]+\.(r|rmd|qmd|py|ipynb|toml|ya?ml|json|txt)$|^(Procfile|DESCRIPTION|renv\.lock|\.python-version|\.pressroomignore|_site\.yml)$|^[^/]+\/(manage|settings|wsgi|asgi|__init__)\.py$/i;
  const TEXT_BYTES = 200 * 1024;
  const ALL_TEXT_BYTES = 700 * 1024;
  const MAX_FILES = 5000;
  const MAX_NAMED = 10;
  /** Codes for a person who is not signed in, or not any more in the session of this page. */
  const ENDED = new Set([24, 92]);
  const SESSION_ENDED = 'Your session has ended: reload this page to go on.';

  class Refused extends Error {}

  // ---- Dropped files: a list of { path, blob }.

  async function filesOfDrop(transfer) {
    const entries = [...transfer.items]
      .map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry())
      .filter(Boolean);
    if (entries.length === 0) return [...transfer.files].map((file) => ({ path: file.name, blob: file }));
    const files = [];
    for (const entry of entries) await walk(entry, '', files);
    return files;
  }

  async function walk(entry, above, files) {
    if (LEFT_OUT.has(entry.name)) return;
    const path = above + entry.name;
    if (entry.isFile) {
      files.push({ path, blob: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
      if (files.length > MAX_FILES)
        throw new Refused('These are too many files for a browser: use the command line.');
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const below of some) await walk(below, `${path}/`, files);
    }
  }

  function filesOfInput(input) {
    const files = [...input.files].map((file) => ({
      path: file.webkitRelativePath || file.name,
      blob: file,
    }));
    return files.filter(({ path }) => !path.split('/').some((part) => LEFT_OUT.has(part)));
  }

  /** Removes a common top directory, which names them. */
  function withoutTop(files, title) {
    const top = files[0] && files[0].path.split('/')[0];
    const isOne = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`));
    if (!isOne) return { files, title };
    return withoutTop(
      files.map(({ path, blob }) => ({ path: path.slice(top.length + 1), blob })),
      title || top,
    );
  }

  // ---- Archives.

  const through = async (blob, stream) => new Response(blob.stream().pipeThrough(stream)).blob();

  /** Browsers report damage as an error of the network. */
  function unpack(blob, format) {
    return through(blob, new DecompressionStream(format)).catch(() => {
      throw new Refused(
        'This archive cannot be read: it is damaged, or has another format than its name says.',
      );
    });
  }

  async function filesOfTar(blob) {
    const files = [];
    const links = [];
    let longName = null;
    let longLink = null;
    for (let at = 0; at + 512 <= blob.size;) {
      const head = new Uint8Array(await blob.slice(at, at + 512).arrayBuffer());
      if (head[0] === 0) break;
      const field = (from, length) => {
        const bytes = head.subarray(from, from + length);
        const end = bytes.indexOf(0);
        return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
      };
      // A negative size would lead back to this entry for ever.
      const size = Math.max(0, parseInt(field(124, 12), 8) || 0);
      const type = field(156, 1);
      const content = blob.slice(at + 512, at + 512 + size);
      const prefix = field(257, 5) === 'ustar' ? field(345, 155) : '';
      if (type === 'x') {
        const said = recordsOf(new Uint8Array(await content.arrayBuffer()));
        longName = said.get('path') || null;
        longLink = said.get('linkpath') || null;
      } else if (type === 'L') longName = (await content.text()).replace(/\0.*$/s, '');
      else if (type === 'K') longLink = (await content.text()).replace(/\0.*$/s, '');
      else {
        const path = plainPath(longName || (prefix ? `${prefix}/` : '') + field(0, 100));
        const target = longLink || field(157, 100);
        if (type === '' || type === '0') files.push({ path, blob: content });
        else if (type === '1') links.push({ path, target: plainPath(target) });
        else if (type === '2') links.push({ path, target: behindLink(path, target) });
        longName = longLink = null;
      }
      at += 512 + Math.ceil(size / 512) * 512;
    }
    return withLinks(files, links);
  }

  /** Attributes of the next entry in a TAR archive, each with its length: a value may contain line breaks. */
  function recordsOf(bytes) {
    const records = new Map();
    for (let at = 0; at < bytes.length;) {
      const [, length = '0', name = ''] =
        /^(\d+) ([^=]+)=/.exec(new TextDecoder().decode(bytes.subarray(at, at + 200))) || [];
      if (name === '') break;
      const from = at + length.length + 1 + text.encode(name).length + 1;
      records.set(name, new TextDecoder().decode(bytes.subarray(from, at + Number(length) - 1)));
      at += Math.max(1, Number(length));
    }
    return records;
  }

  /**
   * Resolves links to files of the archive; lists those that lead elsewhere. A TAR archive contains a file with several
   * names under the first: the others are hard links.
   */
  function withLinks(files, links) {
    const blobs = new Map(files.map(({ path, blob }) => [path, blob]));
    const found = [...files];
    for (let open = links; ;) {
      const rest = open.filter(({ target }) => !blobs.has(target));
      for (const { path, target } of open) {
        if (!blobs.has(target)) continue;
        found.push({ path, blob: blobs.get(target) });
      }
      for (const { path, blob } of found) blobs.set(path, blob);
      if (rest.length === open.length) return { files: found, leftOut: rest.map(({ path }) => path) };
      open = rest;
    }
  }

  /** Target of a symbolic link; null outside of the archive. */
  function behindLink(path, target) {
    if (target.startsWith('/')) return null;
    const parts = path.split('/').slice(0, -1);
    for (const part of target.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (parts.pop() === undefined) return null;
    }
    return parts.join('/');
  }

  const plainPath = (path) => path.replace(/^(\.\/)+/, '');

  async function filesOfZip(blob) {
    const tail = new DataView(await blob.slice(Math.max(0, blob.size - 65_557)).arrayBuffer());
    let end = tail.byteLength - 22;
    while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end -= 1;
    if (end < 0) throw new Refused('This is not a ZIP archive.');
    const count = tail.getUint16(end + 10, true);
    const start = tail.getUint32(end + 16, true);
    const list = new DataView(await blob.slice(start, start + tail.getUint32(end + 12, true)).arrayBuffer());
    const files = [];
    const links = [];
    for (let i = 0, at = 0; i < count; i += 1) {
      const [method, packed] = [list.getUint16(at + 10, true), list.getUint32(at + 20, true)];
      const [nameLength, extra, comment] = [28, 30, 32].map((offset) => list.getUint16(at + offset, true));
      const name = new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, nameLength));
      const offset = list.getUint32(at + 42, true);
      const [madeOn, mode] = [list.getUint8(at + 5), list.getUint16(at + 40, true)];
      at += 46 + nameLength + extra + comment;
      if (name.endsWith('/')) continue;
      const local = new DataView(await blob.slice(offset, offset + 30).arrayBuffer());
      const from = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
      const content = blob.slice(from, from + packed);
      if (method !== 0 && method !== 8)
        throw new Refused(`${name} is packed in a way that browsers cannot read.`);
      const plain = method === 0 ? content : await unpack(content, 'deflate-raw');
      // Created on Unix (3), a symbolic link (0o12....) contains its target.
      if (madeOn === 3 && (mode & 0o170000) === 0o120000)
        links.push({ path: name, target: behindLink(name, await plain.text()) });
      else files.push({ path: name, blob: plain });
    }
    return withLinks(files, links);
  }

  async function unpacked(files) {
    const only = files.length === 1 ? files[0] : null;
    if (!only || !/\.(tar\.gz|tgz|tar|zip)$/i.test(only.path))
      return { ...withoutTop(files, ''), leftOut: [] };
    const title = only.path.replace(/\.(tar\.gz|tgz|tar|zip)$/i, '');
    const isPlain = /\.tar$/i.test(only.path);
    const { files: found, leftOut } = /\.zip$/i.test(only.path)
      ? await filesOfZip(only.blob)
      : await filesOfTar(isPlain ? only.blob : await unpack(only.blob, 'gzip'));
    const isWanted = (path) => !path.split('/').some((part) => LEFT_OUT.has(part));
    return {
      ...withoutTop(
        found.filter(({ path }) => isWanted(path)),
        title,
      ),
      leftOut: leftOut.filter(isWanted),
    };
  }

  function tarHead(path, size) {
    const head = new Uint8Array(512);
    const put = (value, at) => head.set(typeof value === 'string' ? text.encode(value) : value, at);
    const name = text.encode(path);
    if (name.length <= 100) put(name, 0);
    else {
      let cut = path.indexOf('/');
      while (cut >= 0 && text.encode(path.slice(cut + 1)).length > 100) cut = path.indexOf('/', cut + 1);
      if (cut < 0 || text.encode(path.slice(0, cut)).length > 155)
        throw new Refused(`The path ${path} is too long for a browser: use the command line.`);
      put(path.slice(cut + 1), 0);
      put(path.slice(0, cut), 345);
    }
    put('0000644\0' + '0000000\0' + '0000000\0', 100);
    put(`${size.toString(8).padStart(11, '0')}\0` + '00000000000\0' + ' '.repeat(8) + '0', 124);
    put('ustar\0' + '00', 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return head;
  }

  function pack(files) {
    const parts = files.flatMap(({ path, blob }) => [
      tarHead(path, blob.size),
      blob,
      new Uint8Array((512 - (blob.size % 512)) % 512),
    ]);
    return through(new Blob([...parts, new Uint8Array(1024)]), new CompressionStream('gzip'));
  }

  // ---- The server.

  /** With progress of the upload, which `fetch` does not report. */
  function send(method, address, body, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, address);
      request.responseType = 'json';
      request.setRequestHeader('X-RSC-XSRF', xsrf);
      if (onProgress) request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
      request.onerror = () => reject(new Refused('The server cannot be reached.'));
      request.onload = () => {
        const { status, response } = request;
        if (status < 300) return resolve(response);
        const { code, error = `The server answered ${status}.` } = response || {};
        reject(Object.assign(new Refused(ENDED.has(code) ? SESSION_ENDED : error), { code }));
      };
      request.send(body);
    });
  }

  async function describe(root, title, files) {
    const texts = {};
    let left = ALL_TEXT_BYTES;
    for (const { path, blob } of files) {
      const length = TELLING.test(path) ? Math.min(blob.size, TEXT_BYTES, left) : 0;
      left -= length;
      texts[path] = length > 0 ? await blob.slice(0, length).text() : '';
    }
    return send('POST', `${root}/publish/describe`, JSON.stringify({ title, files: texts }));
  }

  async function create(api, name, title) {
    const fields = title.length >= 3 ? { name, title } : { name };
    try {
      return await send('POST', api, JSON.stringify(fields));
    } catch (error) {
      // The name is taken.
      if (error.code !== 26) throw error;
      const other = `${name.slice(0, 58)}-${Math.random().toString(36).slice(2, 7)}`;
      return send('POST', api, JSON.stringify({ ...fields, name: other }));
    }
  }

  /** Shown on the page of the deploy. */
  function saidOf(links) {
    const more = links.length - MAX_NAMED;
    const names = links.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
    return `Left out, because they are links that lead to no file of the archive: ${names}`;
  }

  function begin(zone) {
    const { root, guid } = zone.dataset;
    const api = `${root.replace(/\/__dashboard__$/, '')}/__api__/v1/content`;
    const status = zone.querySelector('[role="status"]');
    const bar = zone.querySelector('progress');
    const share = zone.querySelector('#upload_share');
    let isBusy = false;
    const say = (words, isBad) => {
      status.textContent = words;
      status.className = isBad ? 'bad' : '';
    };

    async function publish(read) {
      if (isBusy || (share && !share.reportValidity())) return;
      isBusy = true;
      let made = null;
      zone.setAttribute('aria-busy', 'true');
      try {
        say('Reading the files …');
        const { files, title, leftOut } = await unpacked(await read());
        if (files.length === 0) throw new Refused('There are no files here.');
        // Without a directory, the first file names the content.
        const called = title || files[0].path.replace(/\.[^.]+$/, '');
        const described = await describe(root, called, files);
        const { manifest, files: kept, label, name, warnings } = described;
        const known = new Set(kept);
        const shown = files.filter(({ path }) => known.has(path));
        const size = shown.reduce((sum, { blob }) => sum + blob.size, 0);
        const what = `${label}: ${shown.length} ${shown.length === 1 ? 'file' : 'files'}, ${(size / 1e6).toFixed(1)} MB`;
        say(`${what}. Packing …`);
        const archive = await pack([
          { path: 'manifest.json', blob: new Blob([JSON.stringify(manifest)]) },
          ...shown.filter(({ path }) => path !== 'manifest.json'),
        ]);
        if (!guid) made = (await create(api, name, called)).guid;
        const item = guid || made;
        bar.hidden = false;
        say(`${what}. Uploading …`);
        const bundle = await send('POST', `${api}/${item}/bundles`, archive, (part) => (bar.value = part));
        const canary = share && share.value !== '' ? { canary: { share: Number(share.value) } } : {};
        const body = JSON.stringify({ bundle_id: bundle.id, ...canary });
        const { task_id } = await send('POST', `${api}/${item}/deploy`, body);
        made = null;
        const notes = [...warnings, ...(leftOut.length > 0 ? [saidOf(leftOut)] : [])];
        if (notes.length > 0) sessionStorage.setItem('publish-notes', JSON.stringify({ task_id, notes }));
        location.assign(`${root}/tasks/${task_id}`);
      } catch (error) {
        // Otherwise each attempt would leave an empty item, and the next would get another name.
        if (made) await send('DELETE', `${api}/${made}`).catch(() => undefined);
        say(error instanceof Refused ? error.message : `This could not be read: ${error.message}`, true);
      } finally {
        isBusy = false;
        bar.hidden = true;
        zone.removeAttribute('aria-busy');
      }
    }

    zone.hidden = false;
    for (const name of ['dragenter', 'dragover'])
      zone.addEventListener(name, (event) => {
        event.preventDefault();
        zone.classList.add('over');
      });
    for (const name of ['dragleave', 'drop'])
      zone.addEventListener(name, () => zone.classList.remove('over'));
    zone.addEventListener('drop', (event) => {
      event.preventDefault();
      const { dataTransfer } = event;
      // Dropped files are available only until this function returns.
      const files = filesOfDrop(dataTransfer);
      void publish(() => files);
    });
    for (const input of zone.querySelectorAll('input[type="file"]'))
      input.addEventListener('change', () => {
        const files = filesOfInput(input);
        input.value = '';
        if (files.length > 0) void publish(() => files);
      });
  }

  document.querySelectorAll('[data-publish]').forEach(begin);
})();
