import type { SimulatedDisk } from "@ccl/core/testing/node";

import type { EntryStatus, Folder, OpenFile } from "../src/node/file-system/folder.ts";

type FolderNode = SimulatedDisk["root"];
type FileNode = ReturnType<SimulatedDisk["createFile"]>;

/** What the trees of tests look like: files with their text and mode, folders with their mode. */
export type TreeFacts = Record<
  string,
  { text: string; mode: number; modifiedNs: bigint } | { mode: number }
>;

/** Adds folders and files, all of them synced. */
export function addFiles(
  disk: SimulatedDisk,
  files: Record<string, string | { text: string; mode: number }>,
): void {
  const { onStep, steps } = disk;
  disk.onStep = undefined;
  for (const [path, given] of Object.entries(files)) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let folder = disk.root;
    for (const part of parts) {
      const next = folder.names.get(part) ?? disk.makeFolder(folder, part);
      if (next.kind === "file") throw new Error(`${part} is a file`);
      disk.sync(folder);
      folder = next;
    }
    const { text, mode } = typeof given === "string" ? { text: given, mode: 0o644 } : given;
    if (folder.names.has(name)) disk.rename(folder, name);
    const file = disk.createFile(folder, name, mode);
    disk.write(file, new TextEncoder().encode(text));
    file.modifiedNs = BigInt(file.bytes.length);
    disk.sync(file);
    disk.sync(folder);
  }
  Object.assign(disk, { onStep, steps });
}

/** The tree, without what tools keep for themselves. */
export function factsOf(disk: SimulatedDisk): TreeFacts {
  const found: TreeFacts = {};
  const walk = (folder: FolderNode, path: string): void => {
    for (const [name, node] of [...folder.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name === ".ccl") continue;
      const below = path === "" ? name : `${path}/${name}`;
      if (node.kind === "folder") {
        found[below] = { mode: node.mode };
        walk(node, below);
      } else {
        const text = new TextDecoder().decode(node.bytes);
        found[below] = { text, mode: node.mode, modifiedNs: node.modifiedNs };
      }
    }
  };
  walk(disk.root, "");
  return found;
}

const nodes = new WeakMap<Folder, FolderNode>();

/** A workspace's calls on a folder of a simulated disk. */
export function folderOf(disk: SimulatedDisk, node: FolderNode = disk.root): Folder {
  const find = (name: string): FileNode | FolderNode => {
    disk.look();
    return disk.find(node, name);
  };
  const folder: Folder = {
    status: async (name) => {
      disk.look();
      const found = node.names.get(name);
      return found && statusOf(found);
    },
    ownStatus: async () => statusOf(node),
    list: async () => {
      disk.look();
      return [...node.names.keys()];
    },
    openFolder: async (name) => {
      const found = find(name);
      if (found.kind !== "folder") throw systemError("ENOTDIR", name);
      return folderOf(disk, found);
    },
    openFile: async (name) => {
      const found = find(name);
      if (found.kind !== "file") throw systemError("EISDIR", name);
      return openFile(disk, found);
    },
    createFile: async (name, mode) => openFile(disk, disk.createFile(node, name, mode & 0o755)),
    makeFolder: async (name) => void disk.makeFolder(node, name),
    setMode: async (mode) => {
      disk.step("setMode");
      node.mode = mode;
    },
    ...nameCalls(disk, node, find),
    sync: async () => disk.sync(node),
    close: () => Promise.resolve(),
  };
  nodes.set(folder, node);
  return folder;
}

/** The calls that give, take and move names. */
function nameCalls(
  disk: SimulatedDisk,
  node: FolderNode,
  find: (name: string) => FileNode | FolderNode,
): Pick<Folder, "link" | "rename" | "replace" | "unlink" | "removeFolder"> {
  return {
    link: async (name, to, newName) => {
      disk.step("link");
      const target = nodeOf(to);
      const found = find(name);
      if (target.names.has(newName)) throw systemError("EEXIST", newName);
      disk.rename(target, undefined, newName, found);
    },
    rename: async (name, to, newName) => {
      disk.step("rename");
      const target = nodeOf(to);
      const found = find(name);
      if (target.names.get(newName) === found) return;
      if (target === node) return disk.rename(node, name, newName, found);
      disk.rename(target, undefined, newName, found);
      disk.rename(node, name);
    },
    replace: async (name, to, { name: newName, identity }) => {
      disk.step("rename");
      const target = nodeOf(to);
      const [found, old] = [find(name), disk.find(target, newName)];
      if (statusOf(old).identity !== identity) throw systemError("ESTALE", newName);
      disk.rename(target, undefined, newName, found);
      disk.rename(node, name);
    },
    unlink: async (name) => {
      disk.step("unlink");
      if (find(name).kind !== "file") throw systemError("EISDIR", name);
      disk.rename(node, name);
    },
    removeFolder: async (name) => {
      disk.step("removeFolder");
      const found = find(name);
      if (found.kind !== "folder") throw systemError("ENOTDIR", name);
      if (found.names.size > 0) throw systemError("ENOTEMPTY", name);
      disk.rename(node, name);
    },
  };
}

function openFile(disk: SimulatedDisk, node: FileNode): OpenFile {
  return {
    status: async () => statusOf(node),
    read: async (buffer, offset) => {
      disk.look();
      const part = node.bytes.subarray(offset, offset + buffer.length);
      buffer.set(part);
      return part.length;
    },
    write: async (bytes) => disk.write(node, bytes.slice()),
    setMode: async (mode) => {
      disk.step("setMode");
      node.mode = mode;
    },
    setOwner: () => Promise.resolve(),
    setModified: async (modifiedNs) => {
      disk.step("setModified");
      node.modifiedNs = modifiedNs;
    },
    sync: async () => disk.sync(node),
    close: () => Promise.resolve(),
  };
}

function nodeOf(folder: Folder): FolderNode {
  const node = nodes.get(folder);
  if (node === undefined) throw new Error("The folder is of another disk.");
  return node;
}

function statusOf(node: FileNode | FolderNode): EntryStatus {
  return {
    kind: node.kind,
    identity: String(node.id),
    device: "1",
    sizeBytes: node.kind === "file" ? node.bytes.length : 0,
    mode: node.mode,
    modifiedNs: node.kind === "file" ? node.modifiedNs : 0n,
    ownerId: process.geteuid?.() ?? 0,
    groupId: process.getegid?.() ?? 0,
  };
}

function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
