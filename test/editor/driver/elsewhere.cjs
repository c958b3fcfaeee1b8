// A virtual file system provided by an extension, like a remote repository: elsewhere:/path is /path.
const { promises: fs } = require('node:fs');
const { dirname } = require('node:path');
const { commands, EventEmitter, FileChangeType, FileSystemError, FileType, workspace } = require('vscode');

exports.register = () => {
  /** Whether writes fail, as without connection or permission. */
  let refused = false;
  commands.registerCommand('elsewhere.refuse', (now) => void (refused = now));
  const changed = new EventEmitter();
  const tell = (uri, type) => changed.fire([{ uri, type }]);
  const found = async (uri, work) => {
    try {
      return await work(uri.path);
    } catch (error) {
      throw error.code === 'ENOENT' ? FileSystemError.FileNotFound(uri) : error;
    }
  };
  const typeOf = (entry) =>
    entry.isSymbolicLink() ? FileType.SymbolicLink : entry.isDirectory() ? FileType.Directory : FileType.File;
  const provider = {
    onDidChangeFile: changed.event,
    watch: () => ({ dispose: () => undefined }),
    stat: (uri) =>
      found(uri, async (path) => {
        const stats = await fs.lstat(path);
        return { type: typeOf(stats), ctime: 0, mtime: Math.round(stats.mtimeMs), size: stats.size };
      }),
    readDirectory: (uri) =>
      found(uri, async (path) =>
        (await fs.readdir(path, { withFileTypes: true })).map((entry) => [entry.name, typeOf(entry)]),
      ),
    readFile: (uri) => found(uri, (path) => fs.readFile(path)),
    async createDirectory(uri) {
      if (refused) throw FileSystemError.NoPermissions(uri);
      await fs.mkdir(uri.path, { recursive: true });
    },
    async writeFile(uri, content) {
      if (refused) throw FileSystemError.NoPermissions(uri);
      await fs.mkdir(dirname(uri.path), { recursive: true });
      await fs.writeFile(uri.path, content);
      tell(uri, FileChangeType.Changed);
    },
    async delete(uri) {
      await fs.rm(uri.path, { recursive: true });
      tell(uri, FileChangeType.Deleted);
    },
    rename: (from, to) => fs.rename(from.path, to.path),
  };
  workspace.registerFileSystemProvider('elsewhere', provider, { isCaseSensitive: true });
};
