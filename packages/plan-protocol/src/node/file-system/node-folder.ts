import fs, { constants } from "node:fs";
import { promisify } from "node:util";

import { systemCode } from "@ccl/core/node";

import type { EntryStatus, Folder, OpenFile } from "./folder.ts";
import { takeTurn } from "./take-turn.ts";

// Calls that may wait for a disk (for example to find a free inode) use the thread pool. The kernel serves the others
// from memory faster than a thread pool round trip, and an apply needs a dozen of them per file.
const open = promisify(fs.open);
const fsync = promisify(fs.fsync);

/** Bytes to read or write before yielding to other work. */
const PIECE_BYTES = 1024 * 1024;

// Windows has none of these flags, and creating links there requires a special privilege.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;

/** Errors from platforms that cannot sync folders. Elsewhere they are real failures. */
const unsyncable = new Set(
  process.platform === "win32" ? ["EISDIR", "EPERM", "EACCES"] : ["EINVAL", "ENOTSUP"],
);

/** True if an open folder can be addressed by its descriptor, so that no path is resolved twice. */
const hasFolderHandles = process.platform === "linux" && fs.existsSync("/proc/self/fd");

/** How names in a folder become paths for system calls. */
interface Place {
  path: string;
  /** Throws if the path no longer leads to the folder that was opened. Does nothing if a handle ensures that. */
  confirm(): void;
}

/** Opens a folder by its real path. Everything below is opened relative to it. */
export async function openFolderAt(path: string): Promise<Folder> {
  const folder =
    process.platform === "win32"
      ? undefined
      : fs.openSync(path, constants.O_RDONLY | folderOnly | noFollow);
  if (hasFolderHandles && folder !== undefined)
    return createFolder({ path: `/proc/self/fd/${folder}`, confirm: () => undefined }, folder);
  const opened = statusAt(path);
  if (opened.kind !== "folder") throw systemError("ENOTDIR", path);
  const confirm = (): void => {
    const now = statusAt(path);
    if (now.kind !== "folder" || now.identity !== opened.identity)
      throw systemError("ESTALE", path);
  };
  return createFolder({ path, confirm }, folder);
}

function createFolder(place: Place, folder: number | undefined): Folder {
  let isOpen = true;
  // After a close, the system may reuse the descriptor for another folder, which a late call must not reach.
  const at = async (name: string): Promise<string> => {
    if (!isOpen) throw new Error("The folder is closed.");
    if (name === "" || name === "." || name === ".." || name.includes("/"))
      throw systemError("EINVAL", name);
    await takeTurn();
    place.confirm();
    return `${place.path}/${name}`;
  };
  const self: Folder & { at: typeof at } = {
    at,
    async status(name) {
      try {
        return statusAt(await at(name));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async ownStatus() {
      return folder === undefined ? statusAt(place.path) : statusOfOpen(folder);
    },
    async list() {
      place.confirm();
      return fs.readdirSync(place.path);
    },
    openFolder: async (name) => openFolderAt(await at(name)),
    openFile: async (name) =>
      createOpenFile(fs.openSync(await at(name), constants.O_RDONLY | noFollow | noWait)),
    async createFile(name, mode) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;
      return createOpenFile(await open(await at(name), flags, mode));
    },
    async makeFolder(name) {
      fs.mkdirSync(await at(name));
    },
    async setMode(mode) {
      place.confirm();
      if (folder === undefined) fs.chmodSync(place.path, mode);
      else fs.fchmodSync(folder, mode);
    },
    link: async (name, to, newName) => fs.linkSync(await at(name), await pathIn(to, newName)),
    rename: async (name, to, newName) => fs.renameSync(await at(name), await pathIn(to, newName)),
    async replace(name, to, target) {
      const [from, place] = [await at(name), await pathIn(to, target.name)];
      // No other code in this process runs between these two calls.
      if (statusAt(place).identity !== target.identity) throw systemError("ESTALE", target.name);
      fs.renameSync(from, place);
    },
    unlink: async (name) => fs.unlinkSync(await at(name)),
    removeFolder: async (name) => fs.rmdirSync(await at(name)),
    async sync() {
      if (folder === undefined) return;
      try {
        await fsync(folder);
      } catch (error) {
        if (!unsyncable.has(systemCode(error) ?? "")) throw error;
      }
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      if (folder !== undefined) fs.closeSync(folder);
    },
  };
  return self;
}

/** Returns the path of a name in an open folder, for APIs that take paths. */
export function pathIn(
  folder: Folder & { at?: ((name: string) => Promise<string>) | undefined },
  name: string,
): Promise<string> {
  if (folder.at === undefined) throw new Error("Both folders must be on one file system.");
  return folder.at(name);
}

function createOpenFile(file: number): OpenFile {
  return {
    status: async () => statusOfOpen(file),
    async read(buffer, offset) {
      let done = 0;
      while (done < buffer.length) {
        const count = fs.readSync(
          file,
          buffer,
          done,
          Math.min(PIECE_BYTES, buffer.length - done),
          offset + done,
        );
        if (count === 0) break;
        done += count;
        await takeTurn();
      }
      return done;
    },
    async write(bytes) {
      for (let done = 0; done < bytes.length; await takeTurn())
        done += fs.writeSync(file, bytes, done, Math.min(PIECE_BYTES, bytes.length - done), done);
    },
    setMode: async (mode) => fs.fchmodSync(file, mode),
    setOwner: async (ownerId, groupId) => fs.fchownSync(file, ownerId, groupId),
    setModified: async (modifiedNs) =>
      fs.futimesSync(file, Number(modifiedNs) / 1e9, Number(modifiedNs) / 1e9),
    sync: () => fsync(file),
    close: async () => fs.closeSync(file),
  };
}

function statusAt(path: string): EntryStatus {
  return statusOf(fs.lstatSync(path, { bigint: true }));
}

function statusOfOpen(file: number): EntryStatus {
  return statusOf(fs.fstatSync(file, { bigint: true }));
}

function statusOf(found: fs.BigIntStats): EntryStatus {
  return {
    kind: found.isFile()
      ? "file"
      : found.isDirectory()
        ? "folder"
        : found.isSymbolicLink()
          ? "link"
          : "other",
    identity: `${found.dev}:${found.ino}`,
    device: String(found.dev),
    sizeBytes: Number(found.size),
    mode: Number(found.mode) & 0o7777,
    modifiedNs: found.mtimeNs,
    ownerId: Number(found.uid),
    groupId: Number(found.gid),
  };
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
