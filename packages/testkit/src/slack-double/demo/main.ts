// `npm run slack:demo`: prints the address of the channel, and runs until Ctrl-C.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { startDemo } from './start-demo.ts';

const PORT = 3941;

const demo = await startDemo({
  port: Number(process.env.PRESSROOM_DEMO_PORT ?? PORT),
  existing: await running(),
  language: process.env.PRESSROOM_SLACK_LANGUAGE === 'de' ? 'de' : 'en',
});
console.log(`
  A Slack channel without Slack:  ${demo.url}
  The content server behind it:   ${demo.bot.services.clients.server}

  Type /pressroom commands there, press the buttons, choose whom to be. Ctrl-C ends it.
`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await demo[Symbol.asyncDispose]();
process.exit(0);

/** The server of CONNECT_SERVER, or a running `npm start`; a new one if there is none. */
async function running(): Promise<{ url: string; apiKey: string } | undefined> {
  const { CONNECT_SERVER, CONNECT_API_KEY } = process.env;
  if (CONNECT_SERVER && CONNECT_API_KEY)
    return { url: CONNECT_SERVER.replace(/\/+$/, ''), apiKey: CONNECT_API_KEY };
  const keyFile = '.pressroom-data/admin-key';
  const url = 'http://127.0.0.1:3939';
  if (!existsSync(keyFile)) return undefined;
  const up = await fetch(`${url}/__ping__`).then(
    ({ ok }) => ok,
    () => false,
  );
  return up ? { url, apiKey: readFileSync(keyFile, 'utf8').trim() } : undefined;
}
