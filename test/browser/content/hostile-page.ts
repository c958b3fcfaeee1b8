// A page of content that tries to act as its visitor in many ways, and an application that helps it.
import type { Files } from '@pressroom/testkit';

/** Data for the page: addresses, and its author's session to replace the visitor's. */
export interface Target {
  /** The server's own address. */
  readonly main: string;
  /** Addresses at which other content might be reachable. */
  readonly others: readonly string[];
  /** Addresses of a private application with WebSockets. */
  readonly sockets: readonly string[];
  /** Session of the page's author. */
  readonly session: string;
  readonly domain: string | null;
}

const SCRIPT = `
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function text(work) {
  try { return String(await Promise.race([work(), wait(4000).then(() => 'nothing')])).slice(0, 20000); }
  catch (error) { return 'refused: ' + error.name; }
}
const get = (path, options) => text(async () => {
  const answer = await fetch(path, { credentials: 'include', ...options });
  return answer.status + ' ' + (await answer.text());
});
const framed = (path) => text(async () => {
  const frame = document.createElement('iframe');
  frame.src = path;
  document.body.append(frame);
  await Promise.race([new Promise((resolve) => (frame.onload = resolve)), wait(2500)]);
  return frame.contentDocument.documentElement.outerHTML;
});
const opened = (path) => text(async () => {
  const other = window.open(path);
  for (let i = 0; i < 15; i++) {
    await wait(100);
    if (!other || other.closed) return 'closed';
    if (other.location.href !== 'about:blank' && other.document.readyState === 'complete') return other.document.documentElement.outerHTML;
  }
  return 'nothing';
});
const posted = (action, fields, enctype) => text(async () => {
  const frame = document.createElement('iframe');
  frame.name = 'f' + Math.random();
  const form = document.createElement('form');
  Object.assign(form, { action, method: 'post', target: frame.name, enctype: enctype || 'application/x-www-form-urlencoded' });
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { name, value });
    form.append(input);
  }
  document.body.append(frame, form);
  form.submit();
  await Promise.race([new Promise((resolve) => (frame.onload = resolve)), wait(2500)]);
  return frame.contentDocument.documentElement.outerHTML;
});
const scripted = (src) => text(async () => {
  const script = document.createElement('script');
  script.src = src;
  script.referrerPolicy = 'no-referrer';
  document.body.append(script);
  await new Promise((resolve) => { script.onload = resolve; script.onerror = resolve; });
  return 'loaded ' + window.stolen;
});
const socket = (address) => text(() => new Promise((resolve) => {
  const own = new WebSocket(address);
  own.onerror = () => resolve('refused');
  own.onopen = () => own.send('as the visitor');
  own.onmessage = (event) => resolve('SOCKET OPEN ' + event.data);
}));
const worker = (scope) => text(async () => {
  const made = await navigator.serviceWorker.register('sw.js', { scope });
  return 'WORKER ' + made.scope;
});
window.onServer = async ({ main }) => {
  const got = {};
  const jobs = [];
  for (const base of [...new Set([main, location.origin, ''])]) {
    for (const path of ['/__api__/v1/user', '/__dashboard__/keys', '/__dashboard__/', '/']) {
      jobs.push((async () => { got['get ' + base + path] = await get(base + path); })());
      jobs.push((async () => { got['get silently ' + base + path] = await get(base + path, { referrerPolicy: 'no-referrer', headers: base === main ? {} : { 'upgrade-insecure-requests': '1', accept: 'text/html' } }); })());
      jobs.push((async () => { got['no-cors ' + base + path] = await get(base + path, { mode: 'no-cors' }); })());
    }
    jobs.push((async () => { got['key ' + base] = await get(base + '/__api__/keys', { method: 'POST', body: '{"name":"stolen"}' }); })());
    jobs.push((async () => { got['key, no-cors ' + base] = await get(base + '/__api__/keys', { method: 'POST', mode: 'no-cors', body: '{"name":"stolen"}', headers: { 'content-type': 'text/plain' } }); })());
    jobs.push((async () => { got['key by form ' + base] = await posted(base + '/__dashboard__/keys', { name: 'stolen', xsrf: '' }); })());
    jobs.push((async () => { got['key by text ' + base] = await posted(base + '/__api__/keys', { '{"name":"stolen","x":"': '"}' }, 'text/plain'); })());
    jobs.push((async () => { got['frame ' + base] = await framed(base + '/__dashboard__/keys'); })());
    jobs.push((async () => { got['window ' + base] = await opened(base + '/__dashboard__/keys'); })());
    jobs.push((async () => { got['sign in ' + base] = await text(async () => (await fetch(base + '/__content-session__?next=' + encodeURIComponent(location.pathname), { credentials: 'include' })).status); })());
  }
  await Promise.all(jobs);
  try { history.pushState(null, '', '/__dashboard__/x'); } catch {}
  got['cookies elsewhere'] = await text(async () => document.cookie);
  got['user elsewhere'] = await get('/__api__/v1/user');
  got['keys elsewhere'] = await get('keys');
  return got;
};
window.onOthers = async ({ others, sockets }) => {
  const got = {};
  const jobs = [];
  for (const other of others) {
    jobs.push((async () => { got['get ' + other] = await get(other); })());
    jobs.push((async () => { got['get silently ' + other] = await get(other, { referrerPolicy: 'no-referrer' }); })());
    jobs.push((async () => { got['frame ' + other] = await framed(other); })());
    jobs.push((async () => { got['window ' + other] = await opened(other); })());
    jobs.push((async () => { got['script ' + other] = await scripted(other + 'data.js'); })());
    jobs.push((async () => { got['post ' + other] = await get(other, { method: 'POST', body: 'x' }); })());
  }
  for (const address of sockets) jobs.push((async () => { got['socket ' + address] = await socket(address); })());
  await Promise.all(jobs);
  return got;
};
window.onCookies = async ({ session, domain }) => {
  const got = {};
  for (const name of ['pressroom-session', '__Host-pressroom-session', 'RSC-XSRF', '__Host-RSC-XSRF', 'pressroom-content']) {
    for (const path of ['/', '/__dashboard__', '/__dashboard__/keys', '/__api__']) {
      for (const where of [null, domain, location.hostname]) {
        try { document.cookie = name + '=' + session + '; path=' + path + (where ? '; domain=' + where : ''); } catch {}
        try { document.cookie = name + '=' + session + '; secure; path=' + path + (where ? '; domain=' + where : ''); } catch {}
      }
    }
    try { document.cookie = '=' + name + '=' + session + '; path=/'; } catch {}
  }
  for (const scope of ['/', '/__dashboard__/']) got['worker ' + scope] = await worker(scope);
  return got;
};
`;

/** Files of the page. */
export const HOSTILE_PAGE: Files = {
  'index.html': `<!doctype html><title>Hostile</title><body><script>${SCRIPT}</script>`,
  'sw.js': 'self.onfetch = (event) => event.respondWith(new Response("taken over"));',
};

/** Its responses contain headers for the proxy in front, and cookies for the whole server, also on WebSockets. */
export function hostileApplication(session: string): Files {
  return {
    'app.py': `
COOKIES = [(b"set-cookie", name + b"=${session}; Path=" + path + domain)
    for name in (b"pressroom-session", b"__Host-pressroom-session", b"RSC-XSRF", b"pressroom-content", b"=pressroom-session")
    for path in (b"/", b"/__dashboard__", b"/__dashboard__/keys")
    for domain in (b"", b"; Domain=example.test", b"; Secure")]
HEADERS = {
    "/accel": [(b"x-accel-redirect", b"/__dashboard__/keys")],
    "/accel_": [(b"x_accel_redirect", b"/__dashboard__/keys")],
    "/origin": [(b"clear-site-data", b'"*"'), (b"strict-transport-security", b"max-age=1"), (b"alt-svc", b'h3=":443"'),
        (b"nel", b"{}"), (b"report-to", b"{}"), (b"reporting-endpoints", b'a="/b"'), (b"service-worker-allowed", b"/"),
        (b"x-sendfile", b"/etc/passwd"), (b"x-lighttpd-send-file", b"/etc/passwd"), (b"x-accel-expires", b"99"),
        (b"x-accel-buffering", b"no"), (b"keep-alive", b"timeout=9"), (b"x-mine", b"stays")],
    "/cookies": COOKIES,
}

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    headers = HEADERS.get(scope["path"].removeprefix(scope.get("root_path", "")), [])
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept", "headers": [*COOKIES, *HEADERS["/origin"], *HEADERS["/accel"]]})
        while (message := await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html"), *headers]})
    await send({"type": "http.response.body", "body": b"<!doctype html><title>App</title>"})
`,
  };
}
