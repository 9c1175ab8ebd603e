import { basename, dirname } from "node:path";

import type { SimulatedDisk } from "@ccl/core/testing/node";

import type { FileStatus, FileSystem, OpenFile } from "../src/file-system/file-system.ts";

type FolderNode = SimulatedDisk["root"];
type FileNode = ReturnType<SimulatedDisk["createFile"]>;

/** The store's calls on a simulated disk. */
export function fileSystemOf(disk: SimulatedDisk): FileSystem {
  const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");
  const find = (path: string): FileNode | FolderNode | undefined => {
    let node: FileNode | FolderNode | undefined = disk.root;
    for (const part of partsOf(path))
      node = node?.kind === "folder" ? node.names.get(part) : undefined;
    return node;
  };
  const folderAt = (path: string): FolderNode => {
    const node = find(path);
    if (node?.kind !== "folder") throw systemError("ENOENT", path);
    return node;
  };
  const fileAt = (path: string): FileNode => {
    const node = find(path);
    if (node === undefined) throw systemError("ENOENT", path);
    if (node.kind === "folder") throw systemError("EISDIR", path);
    return node;
  };
  return {
    create: async (path) =>
      openFile(disk, disk.createFile(folderAt(dirname(path)), basename(path))),
    open: async (path) => {
      disk.look();
      return openFile(disk, fileAt(path));
    },
    status: async (path) => {
      disk.look();
      const node = find(path);
      return node && statusOf(node);
    },
    list: async (path) => {
      disk.look();
      return [...folderAt(path).names.keys()];
    },
    listKinds: async (path) => {
      const node = find(path);
      return node?.kind === "folder"
        ? new Map([...node.names].map(([name, { kind }]) => [name, kind]))
        : undefined;
    },
    link: async (from, to) => {
      disk.step("link");
      const node = fileAt(from);
      if (find(to) !== undefined) throw systemError("EEXIST", to);
      disk.rename(folderAt(dirname(to)), undefined, basename(to), node);
    },
    rename: async (from, to) => {
      disk.step("rename");
      const node = fileAt(from);
      if (dirname(from) !== dirname(to)) throw systemError("EXDEV", to);
      disk.rename(folderAt(dirname(from)), basename(from), basename(to), node);
    },
    unlink: async (path) => {
      disk.step("unlink");
      fileAt(path);
      disk.rename(folderAt(dirname(path)), basename(path));
    },
    setTime: async (path, timeMs) => {
      disk.step("setTime");
      fileAt(path).modifiedNs = nanoseconds(timeMs);
    },
    makeFolder: async (path) => {
      let folder = disk.root;
      for (const part of partsOf(path)) {
        const next = folder.names.get(part) ?? disk.makeFolder(folder, part);
        if (next.kind === "file") throw systemError("ENOTDIR", path);
        folder = next;
      }
    },
    syncFolder: async (path) => disk.sync(folderAt(path)),
  };
}

function openFile(disk: SimulatedDisk, node: FileNode): OpenFile {
  return {
    write: async (bytes, offset) => {
      const grown = new Uint8Array(Math.max(node.bytes.length, offset + bytes.length));
      grown.set(node.bytes);
      grown.set(bytes, offset);
      disk.write(node, grown);
    },
    read: async (buffer, offset) => {
      const part = node.bytes.subarray(offset, offset + buffer.length);
      buffer.set(part);
      return part.length;
    },
    setTime: async (timeMs) => {
      node.modifiedNs = nanoseconds(timeMs);
    },
    sync: async () => disk.sync(node),
    close: () => Promise.resolve(),
  };
}

function statusOf(node: FileNode | FolderNode): FileStatus {
  if (node.kind === "folder") return { kind: "folder", sizeBytes: 0, timeMs: 0, changedAtMs: 0 };
  const timeMs = Number(node.modifiedNs / 1_000_000n);
  return { kind: "file", sizeBytes: node.bytes.length, timeMs, changedAtMs: 0 };
}

const nanoseconds = (timeMs: number): bigint => BigInt(Math.floor(timeMs)) * 1_000_000n;

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
