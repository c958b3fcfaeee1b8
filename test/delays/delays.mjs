// Delays what a test must not depend on, in each Node.js process of a run: see run.mjs. Kinds:
//   requests       reach an HTTP server later
//   queries        are sent to PostgreSQL later, one in fifty much later
//   notifications  of PostgreSQL arrive later
//   output         of child processes arrives later
//   exits          of child processes are noticed later
//   timers         end later
//   files          are opened, written and removed later
import { ChildProcess } from 'node:child_process';
import fs from 'node:fs/promises';
import { Server } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import timers from 'node:timers';
import promises from 'node:timers/promises';

const [low, high] = process.env.PRESSROOM_TEST_DELAYS_MS.split('-').map(Number);
const inTime = globalThis.setTimeout;
const some = () => low + Math.random() * (high - low);
const pause = (milliseconds = some()) => new Promise((done) => inTime(done, milliseconds));

const kinds = {
  requests() {
    const { emit } = Server.prototype;
    Server.prototype.emit = function (name, ...args) {
      if (name !== 'request') return emit.call(this, name, ...args);
      inTime(() => emit.call(this, name, ...args), some());
      return true;
    };
  },
  queries() {
    const client = postgresClient();
    const send = client._pulseQueryQueue;
    client._pulseQueryQueue = function () {
      if (this.isHeld) return;
      if (this._queryQueue.length === 0) return send.call(this);
      this.isHeld = true;
      const isRare = Math.random() < 0.02;
      inTime(
        () => {
          this.isHeld = false;
          send.call(this);
        },
        isRare ? 10 * some() : some(),
      );
    };
  },
  notifications() {
    const client = postgresClient();
    client._handleNotification = function (message) {
      inTurn(this, () => this.emit('notification', message));
    };
  },
  output() {
    const { push } = Socket.prototype;
    Socket.prototype.push = function (...args) {
      if (!this.isOfChild) return push.apply(this, args);
      inTurn(this, () => !this.destroyed && push.apply(this, args));
      return true;
    };
    afterSpawn((child) => {
      for (const stream of child.stdio?.slice(1) ?? []) if (stream) stream.isOfChild = true;
    });
  },
  exits() {
    afterSpawn(({ _handle: handle }) => {
      const { onexit } = handle;
      handle.onexit = (...args) => inTime(() => onexit(...args), some());
    });
  },
  timers() {
    const late = (work, milliseconds = 0, ...args) => inTime(work, milliseconds + some(), ...args);
    Object.defineProperties(late, Object.getOwnPropertyDescriptors(inTime));
    globalThis.setTimeout = late;
    timers.setTimeout = late;
    const wait = promises.setTimeout;
    promises.setTimeout = (milliseconds = 0, ...args) => wait(milliseconds + some(), ...args);
  },
  files() {
    const calls = Object.keys(fs).filter(
      (name) => typeof fs[name] === 'function' && !/^(watch|glob)$/.test(name),
    );
    for (const name of calls) {
      const call = fs[name];
      fs[name] = async (...args) => {
        await pause();
        const response = await call(...args);
        await pause();
        return response;
      };
    }
  },
};

for (const kind of process.env.PRESSROOM_TEST_DELAYS.split(',')) kinds[kind]();
syncBuiltinESMExports();

function postgresClient() {
  const requireInServer = createRequire(new URL('../../packages/server/package.json', import.meta.url));
  return requireInServer('pg').Client.prototype;
}

/** Work that belongs to one object, in the order in which it came. */
function inTurn(owner, work) {
  owner.lastTurn = (owner.lastTurn ?? Promise.resolve()).then(() => pause()).then(work);
}

function afterSpawn(adapt) {
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (...args) {
    const failed = spawn.apply(this, args);
    if (!failed && this._handle) adapt(this);
    return failed;
  };
}
