// Runs without a network: takes a picture of a page with a browser, whose connections it forwards to the server's
// socket, and nowhere else. The browser is controlled over pipes: not every build of Chromium can be by its arguments.
const { spawn } = require('node:child_process');
const { EventEmitter, once } = require('node:events');
const { writeFileSync } = require('node:fs');
const net = require('node:net');

/** Of the page's first screen. */
const SCREEN = { width: 1280, height: 800, deviceScaleFactor: 0.5, mobile: false };
/** Milliseconds of the page's own clock, which stands still while it loads; and of ours, for one that loads for ever. */
const BUDGET_MS = 5000;
const PATIENCE_MS = 15_000;

const [socket, port, url, picture, program, ...args] = process.argv.slice(2);
const bridge = net.createServer((from) => {
  const to = net.connect(socket);
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
  from.pipe(to).pipe(from);
});
bridge.listen(Number(port), '127.0.0.1', () => {
  const browser = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'] });
  browser.on('error', () => process.exit(127));
  let isTaken = false;
  browser.on('exit', (code) => process.exit(isTaken ? 0 : code || 1));
  takePicture(control(browser.stdio[3], browser.stdio[4])).then(
    (png) => {
      writeFileSync(picture, png);
      isTaken = true;
      browser.kill();
    },
    (error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
});

/** @returns a PNG */
async function takePicture({ send, events }) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  events.on(
    'Page.javascriptDialogOpening',
    () => void page('Page.handleJavaScriptDialog', { accept: false }),
  );
  await page('Page.enable');
  await page('Emulation.setDeviceMetricsOverride', SCREEN);
  const { errorText } = await page('Page.navigate', { url });
  if (errorText) throw new Error(`the page does not load: ${errorText}`);
  const isOver = once(events, 'Emulation.virtualTimeBudgetExpired');
  await page('Emulation.setVirtualTimePolicy', {
    policy: 'pauseIfNetworkFetchesPending',
    budget: BUDGET_MS,
    maxVirtualTimeTaskStarvationCount: 10_000,
  });
  await Promise.race([isOver, new Promise((late) => setTimeout(late, PATIENCE_MS))]);
  const { data } = await page('Page.captureScreenshot', { format: 'png' });
  return Buffer.from(data, 'base64');
}

/** The browser's commands and events: the Chrome DevTools Protocol, with a zero byte after each message. */
function control(to, from) {
  const events = new EventEmitter();
  const waiting = new Map();
  let rest = '';
  let last = 0;
  // It has ended, which `exit` reports.
  to.on('error', () => undefined);
  from.setEncoding('utf8').on('data', (piece) => {
    rest += piece;
    if (!piece.includes('\0')) return;
    const messages = rest.split('\0');
    rest = messages.pop();
    for (const message of messages) {
      const { id, method, params, result, error } = JSON.parse(message);
      if (id === undefined) events.emit(method, params);
      else if (error) waiting.get(id).reject(new Error(error.message));
      else waiting.get(id).resolve(result);
      waiting.delete(id);
    }
  });
  const send = (method, params, sessionId) => {
    const id = (last += 1);
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  return { send, events };
}
