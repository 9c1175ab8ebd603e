import { constants } from "node:fs";
import {
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  rename,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import { systemCode, unless } from "@ccl/core/node";
import type { FileStatus, FileSystem, OpenFile } from "./file-system.ts";

// Windows has no O_NOFOLLOW. Creating links there needs a privilege.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;

/** Error codes of platforms that cannot sync folders. Elsewhere these are real failures. */
const unsyncable = new Set(
  process.platform === "win32" ? ["EISDIR", "EPERM", "EACCES"] : ["EINVAL", "ENOTSUP"],
);

/** The file system of this machine. */
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
    let folder: FileHandle | undefined;
    try {
      folder = await open(path, constants.O_RDONLY | folderOnly | noFollow);
      await folder.sync();
    } catch (error) {
      if (!unsyncable.has(systemCode(error) ?? "")) throw error;
    } finally {
      await folder?.close();
    }
  },
};

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStatus["kind"] {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
}

function openFile(file: FileHandle): OpenFile {
  return {
    async write(bytes, offset) {
      for (let done = 0; done < bytes.length;) {
        const left = bytes.length - done;
        done += (await file.write(bytes, done, left, offset + done)).bytesWritten;
      }
    },
    async read(buffer, offset) {
      let done = 0;
      while (done < buffer.length) {
        const left = buffer.length - done;
        const { bytesRead } = await file.read(buffer, done, left, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    setTime: (timeMs) => file.utimes(timeMs / 1000, timeMs / 1000),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}
