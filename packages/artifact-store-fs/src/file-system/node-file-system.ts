import fs, { constants } from "node:fs";
import { lutimes, mkdir, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { systemCode, unless } from "@ccl/core/node";
import type { FileStatus, FileSystem, OpenFile } from "./file-system.ts";

// Calls on numbers instead of `FileHandle`s: a put makes a dozen of them, and the handles cost a quarter of its time.
const open = promisify(fs.open);
const close = promisify(fs.close);
const read = promisify(fs.read);
const write = promisify(fs.write);
const fsync = promisify(fs.fsync);
const futimes = promisify(fs.futimes);
const lstat = promisify(fs.lstat);
const link = promisify(fs.link);
const rename = promisify(fs.rename);
const unlink = promisify(fs.unlink);

// Windows has no O_NOFOLLOW; links there need a privilege of their own.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;

/** What a platform answers where folders can't be synced; elsewhere these are real failures. */
const unsyncable = new Set(
  process.platform === "win32" ? ["EISDIR", "EPERM", "EACCES"] : ["EINVAL", "ENOTSUP"],
);

/** The files of this machine. */
export const nodeFileSystem: FileSystem = {
  async create(path) {
    return openFile(
      await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow, 0o666),
    );
  },
  async open(path) {
    return openFile(await open(path, constants.O_RDONLY | noFollow));
  },
  async status(path) {
    const found = await unless(["ENOENT"], lstat(path), undefined);
    if (found === undefined) return undefined;
    return {
      kind: kindOf(found),
      sizeBytes: found.size,
      timeMs: Math.round(found.mtimeMs),
      changedAtMs: found.ctimeMs,
    };
  },
  list: (folder) => readdir(folder),
  async listKinds(folder) {
    const entries = await unless(["ENOENT"], readdir(folder, { withFileTypes: true }), undefined);
    return entries && new Map(entries.map((entry) => [entry.name, kindOf(entry)]));
  },
  link,
  rename,
  unlink,
  setTime: (path, timeMs) => lutimes(path, timeMs / 1000, timeMs / 1000),
  async makeFolder(path) {
    await mkdir(path, { recursive: true });
  },
  async syncFolder(path) {
    let folder: number | undefined;
    try {
      folder = await open(path, constants.O_RDONLY | folderOnly | noFollow);
      await fsync(folder);
    } catch (error) {
      if (!unsyncable.has(systemCode(error) ?? "")) throw error;
    } finally {
      if (folder !== undefined) fs.closeSync(folder);
    }
  },
};

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStatus["kind"] {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
}

function openFile(file: number): OpenFile {
  let isOpen = true;
  let isWritten = false;
  // Once it is closed the system gives its number to another file: a late call must not reach that one.
  const live = (): number => {
    if (isOpen) return file;
    throw new Error("The file is closed.");
  };
  return {
    async write(bytes, offset) {
      isWritten = true;
      for (let done = 0; done < bytes.length;) {
        done += (await write(live(), bytes, done, bytes.length - done, offset + done)).bytesWritten;
      }
    },
    async read(buffer, offset) {
      let done = 0;
      while (done < buffer.length) {
        const { bytesRead } = await read(live(), buffer, done, buffer.length - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    setTime: async (timeMs) => futimes(live(), timeMs / 1000, timeMs / 1000),
    async sync() {
      await fsync(live());
      isWritten = false;
    },
    async close() {
      live();
      isOpen = false;
      // With nothing left to write it takes less time than to ask another thread for it.
      if (isWritten) await close(file);
      else fs.closeSync(file);
    },
  };
}
