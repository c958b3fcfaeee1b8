// Covers every server fault during sign-in: shown at once in the input, nothing typed is lost, and no unchecked key is kept.
import { nodeConnection } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { window } from 'vscode';
import { FAULTS, KEY, startContentServer, type Fault, type Step } from '../testing/content-server.ts';
import { createStores, EventEmitter } from '../testing/fake-vscode.ts';
import { createConnect } from './connect.ts';
import { createKeys } from './keys.ts';
import { createSignIn } from './sign-in.ts';

/** Milliseconds until a fault must be shown. */
const TOLD_MS = 5000;
const LOOK_MS = 10;

/** An input box; `enter` presses Enter and resolves when a message appears. */
function createBox() {
  const accept = new EventEmitter<undefined>();
  const ignored = new EventEmitter<never>().event;
  const shown = Promise.withResolvers<void>();
  const box = {
    value: '',
    prompt: '',
    enabled: true,
    closed: false,
    validationMessage: undefined as { message: string } | undefined,
    onDidAccept: accept.event,
    onDidHide: ignored,
    onDidChangeValue: ignored,
    onDidTriggerButton: ignored,
    show: () => shown.resolve(),
    dispose: () => void (box.closed = true),
  };
  return {
    box,
    shown: shown.promise,
    async enter(): Promise<string> {
      box.validationMessage = undefined;
      accept.fire(undefined);
      const late = Date.now() + TOLD_MS;
      while (Date.now() < late) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (box.closed) return 'closed';
        if (box.validationMessage !== undefined)
          return (box.validationMessage as { message: string }).message;
        if (box.prompt.startsWith('Waiting for a response')) return box.prompt;
      }
      return 'nothing';
    },
  };
}

/** Tries with the fault, then without. Returns the message and the problems found. */
async function signInThrough(step: Step, fault: Fault): Promise<{ told: string; problems: string[] }> {
  await using server = await startContentServer();
  const { secrets, state } = createStores();
  const keys = createKeys(secrets, state);
  const timeouts = { connect: 400, headers: 3000, slow: 200 };
  const connect = createConnect({
    version: '1',
    onNotice: undefined,
    trace: () => undefined,
    timeouts,
    connection: nodeConnection,
  });
  const boxes = [createBox(), createBox()];
  const closed = [...boxes];
  Object.assign(window, { createInputBox: () => closed.shift()!.box });
  const done = createSignIn(keys, connect, state).server();
  const [address, key] = boxes;
  await address!.shown;
  address!.box.value = server.url;
  const problems: string[] = [];
  const failing = step === 'address' ? address! : key!;
  if (step !== 'address') {
    if ((await address!.enter()) !== 'closed') problems.push('the address was not taken');
    await key!.shown;
    key!.box.value = KEY;
  }
  server.fail(step, fault);
  const told = await failing.enter();
  const typed = failing.box.value;
  server.fail(step, null);
  if (keys.accounts().length > 0 && fault !== 'slow') problems.push('a key was kept that was not checked');
  if (typed !== (step === 'address' ? server.url : KEY)) problems.push('what was typed is gone');
  // A request that hung continues by itself.
  const after = fault === 'slow' ? 'closed' : await failing.enter();
  if (after !== 'closed') problems.push('it does not work afterwards');
  if (step === 'address') {
    await key!.shown;
    key!.box.value = KEY;
    if ((await key!.enter()) !== 'closed') problems.push('the key was not taken');
  }
  if (problems.length === 0 && (await done) !== server.url) problems.push('not signed in');
  if (keys.accounts().length !== 1) problems.push(`${keys.accounts().length} accounts`);
  return { told, problems };
}
/** The expected messages: what happened, and what to do. */
const TOLD: readonly (readonly [Fault, RegExp])[] = [
  ['gone', /^No response from .*: the connection was lost\. Try again/],
  ['slow', /^Waiting for a response from 127\.0\.0\.1:\d+…$/],
  ['html', /a web page \("Proxy"\).*sign-in page of a proxy/],
  ['half', /the connection was lost\. Try again/],
  [401, /^refused with 401\. Sign in again with a valid API key/],
  [403, /^refused with 403\. Your account may not do this/],
  [404, /^refused with 404\. Check the address of the server/],
  [409, /^refused with 409\. .*try again/],
  [413, /^refused with 413\. .*larger than the server or a proxy accepts/],
  [429, /^refused with 429\. Too many requests: wait a moment/],
  [500, /^refused with 500\. The server has a problem/],
];
const cases = (['address', 'key'] as const).flatMap((step) =>
  TOLD.map(([fault, text]) => ({ step, fault, text })),
);
test.each(cases)('reports a fault in step $step: $fault', async ({ step, fault, text }) => {
  const { told, problems } = await signInThrough(step, fault);
  expect(problems).toEqual([]);
  expect(told).toMatch(text);
});

test('every fault is covered', () => {
  expect(new Set(TOLD.map(([fault]) => fault))).toEqual(new Set(FAULTS));
});
