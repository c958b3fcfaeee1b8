// Replaces a native library for the editor's log files: one line per permitted entry.
const { closeSync, mkdirSync, openSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  #file;
  #level = LEVELS.indexOf('info');
  #isPlain = false;

  constructor(_type, _name, path) {
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, 'a');
  }

  trace = (message) => this.#write(0, message);
  debug = (message) => this.#write(1, message);
  info = (message) => this.#write(2, message);
  warn = (message) => this.#write(3, message);
  error = (message) => this.#write(4, message);
  critical = (message) => this.#write(5, message);
  getLevel = () => this.#level;
  setLevel = (level) => void (this.#level = level);
  setPattern = () => void (this.#isPlain = false);
  clearFormatters = () => void (this.#isPlain = true);
  flush = () => undefined;

  drop() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(level, message) {
    if (level < this.#level || this.#file === undefined) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    writeSync(this.#file, this.#isPlain ? message : `${time} [${LEVELS[level]}] ${message}\n`);
  }
}

exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = async (name, path) => new Logger('rotating', name, path);
exports.createAsyncRotatingLogger = async (name, path) => new Logger('rotating_async', name, path);
