import fs, { constants } from "node:fs";
import { promisify } from "node:util";

import { type EntryStatus, type Folder, type OpenFile, systemCode } from "./folder.ts";

// Calls on numbers instead of `FileHandle`s: an apply makes dozens of them for each file.
const open = promisify(fs.open);
const close = promisify(fs.close);
const read = promisify(fs.read);
const write = promisify(fs.write);
const fsync = promisify(fs.fsync);
const fchmod = promisify(fs.fchmod);
const fchown = promisify(fs.fchown);
const futimes = promisify(fs.futimes);
const chmod = promisify(fs.chmod);
const link = promisify(fs.link);
const rename = promisify(fs.rename);
const unlink = promisify(fs.unlink);
const mkdir = promisify(fs.mkdir);
const rmdir = promisify(fs.rmdir);
const readdir = promisify((path: string, done: (error: NodeJS.ErrnoException | null, names: string[]) => void) =>
  fs.readdir(path, done),
);
const lstat = promisify(
  (path: string, done: (error: NodeJS.ErrnoException | null, found: fs.BigIntStats) => void): void =>
    fs.lstat(path, { bigint: true }, done),
);
const fstat = promisify(
  (file: number, done: (error: NodeJS.ErrnoException | null, found: fs.BigIntStats) => void): void =>
    fs.fstat(file, { bigint: true }, done),
);

// Windows has none of these; links there need a privilege of their own.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;

/** What a platform answers where folders can't be synced; elsewhere these are real failures. */
const unsyncable = new Set(process.platform === "win32" ? ["EISDIR", "EPERM", "EACCES"] : ["EINVAL", "ENOTSUP"]);

/** True where a folder that is open can be reached by its number, so that no path is walked twice. */
export const hasFolderHandles: boolean = process.platform === "linux" && fs.existsSync("/proc/self/fd");

/** How the names in one folder become paths for the system. */
interface Place {
  path: string;
  /** Throws where the folder is no longer the one that was opened. Does nothing where a handle makes that sure. */
  confirm(): Promise<void>;
}

/** Opens a folder by its real path; everything below it is reached from there. */
export async function openRootFolder(path: string): Promise<Folder> {
  return openAt(path);
}

async function openAt(path: string): Promise<Folder> {
  const folder =
    process.platform === "win32" ? undefined : await open(path, constants.O_RDONLY | folderOnly | noFollow);
  if (hasFolderHandles && folder !== undefined)
    return createFolder({ path: `/proc/self/fd/${folder}`, confirm: () => Promise.resolve() }, folder);
  const opened = statusOf(await lstat(path));
  if (opened.kind !== "folder") throw systemError("ENOTDIR", path);
  const confirm = async (): Promise<void> => {
    const now = statusOf(await lstat(path));
    if (now.kind !== "folder" || now.identity !== opened.identity) throw systemError("ESTALE", path);
  };
  return createFolder({ path, confirm }, folder);
}

function createFolder(place: Place, folder: number | undefined): Folder {
  let isOpen = true;
  // Once it is closed the system gives its number to another folder: a late call must not reach that one.
  const at = async (name: string): Promise<string> => {
    if (!isOpen) throw new Error("The folder is closed.");
    if (name === "" || name === "." || name === ".." || name.includes("/")) throw systemError("EINVAL", name);
    await place.confirm();
    return `${place.path}/${name}`;
  };
  const self: Folder & { at: typeof at } = {
    at,
    async status(name) {
      try {
        return statusOf(await lstat(await at(name)));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async ownStatus() {
      return statusOf(folder === undefined ? await lstat(place.path) : await fstat(folder));
    },
    async list() {
      await place.confirm();
      return readdir(place.path);
    },
    openFolder: async (name) => openAt(await at(name)),
    openFile: async (name) => createOpenFile(await open(await at(name), constants.O_RDONLY | noFollow | noWait)),
    async createFile(name, mode) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;
      return createOpenFile(await open(await at(name), flags, mode));
    },
    async makeFolder(name) {
      await mkdir(await at(name));
    },
    async setMode(mode) {
      await place.confirm();
      await (folder === undefined ? chmod(place.path, mode) : fchmod(folder, mode));
    },
    link: async (name, to, newName) => link(await at(name), await pathIn(to, newName)),
    rename: async (name, to, newName) => rename(await at(name), await pathIn(to, newName)),
    unlink: async (name) => unlink(await at(name)),
    removeFolder: async (name) => rmdir(await at(name)),
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
      if (folder !== undefined) await close(folder);
    },
  };
  return self;
}

function pathIn(folder: Folder & { at?: (name: string) => Promise<string> }, name: string): Promise<string> {
  if (folder.at === undefined) throw new Error("Both folders must be of one file system.");
  return folder.at(name);
}

function createOpenFile(file: number): OpenFile {
  let isOpen = true;
  const live = (): number => {
    if (isOpen) return file;
    throw new Error("The file is closed.");
  };
  return {
    status: async () => statusOf(await fstat(live())),
    async read(buffer, offset) {
      let done = 0;
      while (done < buffer.length) {
        const { bytesRead } = await read(live(), buffer, done, buffer.length - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    async write(bytes) {
      for (let done = 0; done < bytes.length;)
        done += (await write(live(), bytes, done, bytes.length - done, done)).bytesWritten;
    },
    setMode: (mode) => fchmod(live(), mode),
    setOwner: (ownerId, groupId) => fchown(live(), ownerId, groupId),
    setModified: (modifiedNs) => futimes(live(), Number(modifiedNs) / 1e9, Number(modifiedNs) / 1e9),
    sync: () => fsync(live()),
    async close() {
      live();
      isOpen = false;
      await close(file);
    },
  };
}

function statusOf(found: fs.BigIntStats): EntryStatus {
  return {
    kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "other",
    identity: `${found.dev}:${found.ino}`,
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
