import type { EntryStatus, Folder, OpenFile } from "../src/node/file-system/folder.ts";

interface FileNode {
  kind: "file";
  id: number;
  bytes: Uint8Array;
  /** What a power cut can't take; undefined before the first sync. */
  synced: Uint8Array | undefined;
  mode: number;
  modifiedNs: bigint;
}

interface FolderNode {
  kind: "folder";
  id: number;
  names: Map<string, Node>;
  syncedNames: Map<string, Node>;
  /** Changes of names since the last sync, each by itself. */
  pending: NameChange[];
  mode: number;
}

type Node = FileNode | FolderNode;

interface NameChange {
  removed: string[];
  set?: { name: string; node: Node };
}

/** What bytes that were never synced may hold after a power cut. */
const TORN = ["kept", "empty", "half", "zeros"] as const;
type Torn = (typeof TORN)[number];

/** The power is gone: no call does anything any more. */
export class PowerCut extends Error {}

/** What the trees of tests look like: files with their text and mode, folders with their mode. */
export type TreeFacts = Record<
  string,
  { text: string; mode: number; modifiedNs: bigint } | { mode: number }
>;

/**
 * A disk in memory that can lose its power, or fail, before any call, and then knows every state that POSIX allows: of
 * the names of a folder any of the changes since its last sync, even half of a move between folders; of a file that was
 * not synced anything.
 */
export class SimulatedDisk {
  /** Calls so far that change something. */
  steps = 0;
  /** The call before which the power goes. */
  cutBefore: number = Infinity;
  /** Called before each step; may throw as the system would. */
  onStep: ((call: string, step: number) => void) | undefined;
  /** False for a disk that answers a sync of a file at once. */
  syncsFiles = true;
  readonly root: Folder;
  readonly #root: FolderNode;
  #nextId = 1;

  constructor(root?: FolderNode) {
    this.#root = root ?? this.#emptyFolder();
    this.root = this.#open(this.#root);
  }

  /** Adds folders and files, all of them synced. */
  add(files: Record<string, string | { text: string; mode: number }>): void {
    for (const [path, given] of Object.entries(files)) {
      const parts = path.split("/");
      let folder = this.#root;
      for (const part of parts.slice(0, -1)) {
        const next = folder.names.get(part) ?? this.#emptyFolder();
        if (next.kind !== "folder") throw new Error(`${part} is a file`);
        folder.names.set(part, next);
        folder.syncedNames.set(part, next);
        folder = next;
      }
      const { text, mode } = typeof given === "string" ? { text: given, mode: 0o644 } : given;
      const bytes = new TextEncoder().encode(text);
      const file: FileNode = {
        kind: "file",
        id: this.#id(),
        bytes,
        synced: bytes,
        mode,
        modifiedNs: BigInt(bytes.length),
      };
      folder.names.set(parts.at(-1) ?? "", file);
      folder.syncedNames.set(parts.at(-1) ?? "", file);
    }
  }

  /** The tree, without what tools keep for themselves. */
  facts(): TreeFacts {
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
    walk(this.#root, "");
    return found;
  }

  /** A disk with the same content, everything on it synced. */
  clone(): SimulatedDisk {
    return this.#copy(new Map(), "kept", true);
  }

  /** Disks as they may be found after the power went, at most `limit` of them, chosen evenly. */
  crashStates(limit: number): SimulatedDisk[] {
    const folders = this.#foldersWithChanges();
    const choices = folders.map((folder) => subsetsOf(folder.pending));
    const total = choices.reduce<number>((product, list) => product * list.length, TORN.length);
    const count = Math.min(total, limit);
    return Array.from({ length: count }, (_, index) => {
      // The last state is the one in which all is as it was when the power went.
      let rest = count === 1 ? total - 1 : Math.floor((index * (total - 1)) / (count - 1));
      const kept = new Map<FolderNode, NameChange[]>();
      for (const [at, folder] of folders.entries()) {
        const list = choices[at] ?? [[]];
        kept.set(folder, list[rest % list.length] ?? []);
        rest = Math.floor(rest / list.length);
      }
      return this.#copy(kept, TORN[(index + rest) % TORN.length] ?? "kept", false);
    });
  }

  #copy(kept: Map<FolderNode, NameChange[]>, torn: Torn, isWhole: boolean): SimulatedDisk {
    const files = new Map<FileNode, FileNode>();
    const copyFile = (file: FileNode): FileNode => {
      const bytes = isWhole ? file.bytes : (file.synced ?? tear(file.bytes, torn));
      const copy: FileNode = files.get(file) ?? { ...file, bytes, synced: bytes };
      files.set(file, copy);
      return copy;
    };
    const copyFolder = (folder: FolderNode): FolderNode => {
      const names = isWhole ? new Map(folder.names) : new Map(folder.syncedNames);
      if (!isWhole) for (const change of kept.get(folder) ?? []) applyChange(names, change);
      const copied = new Map<string, Node>();
      for (const [name, node] of names)
        copied.set(name, node.kind === "folder" ? copyFolder(node) : copyFile(node));
      return { ...folder, names: copied, syncedNames: new Map(copied), pending: [] };
    };
    const disk = new SimulatedDisk(copyFolder(this.#root));
    disk.#nextId = this.#nextId;
    return disk;
  }

  #id(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #emptyFolder(): FolderNode {
    return {
      kind: "folder",
      id: this.#id(),
      names: new Map(),
      syncedNames: new Map(),
      pending: [],
      mode: 0o755,
    };
  }

  #step(call: string): void {
    if (this.steps >= this.cutBefore) throw new PowerCut(`The power went before ${call}.`);
    const step = this.steps;
    this.steps += 1;
    this.onStep?.(call, step);
  }

  #look(): void {
    if (this.steps >= this.cutBefore) throw new PowerCut("The power is gone.");
  }

  #change(folder: FolderNode, change: NameChange): void {
    applyChange(folder.names, change);
    folder.pending.push(change);
  }

  #open(node: FolderNode): Folder {
    const find = (name: string): Node => {
      this.#look();
      const found = node.names.get(name);
      if (found === undefined) throw systemError("ENOENT", name);
      return found;
    };
    const folder: Folder = {
      status: async (name) => {
        this.#look();
        const found = node.names.get(name);
        return found === undefined ? undefined : statusOf(found);
      },
      ownStatus: async () => statusOf(node),
      list: async () => {
        this.#look();
        return [...node.names.keys()];
      },
      openFolder: async (name) => {
        const found = find(name);
        if (found.kind !== "folder") throw systemError("ENOTDIR", name);
        return this.#open(found);
      },
      openFile: async (name) => {
        const found = find(name);
        if (found.kind !== "file") throw systemError("EISDIR", name);
        return this.#openFile(found);
      },
      createFile: async (name, mode) => {
        this.#step("create");
        if (node.names.has(name)) throw systemError("EEXIST", name);
        const bytes = new Uint8Array(0);
        const file: FileNode = {
          kind: "file",
          id: this.#id(),
          bytes,
          synced: undefined,
          mode: mode & 0o755,
          modifiedNs: 1n,
        };
        this.#change(node, { removed: [], set: { name, node: file } });
        return this.#openFile(file);
      },
      makeFolder: async (name) => {
        this.#step("makeFolder");
        if (node.names.has(name)) throw systemError("EEXIST", name);
        this.#change(node, { removed: [], set: { name, node: this.#emptyFolder() } });
      },
      setMode: async (mode) => {
        this.#step("setMode");
        node.mode = mode;
      },
      ...this.#nameCalls(node, find),
      sync: async () => {
        this.#step("syncFolder");
        node.syncedNames = new Map(node.names);
        node.pending = [];
      },
      close: () => Promise.resolve(),
    };
    nodes.set(folder, node);
    return folder;
  }

  /** The calls that give, take and move names. */
  #nameCalls(
    node: FolderNode,
    find: (name: string) => Node,
  ): Pick<Folder, "link" | "rename" | "replace" | "unlink" | "removeFolder"> {
    return {
      link: async (name, to, newName) => {
        this.#step("link");
        const target = nodeOf(to);
        const found = find(name);
        if (target.names.has(newName)) throw systemError("EEXIST", newName);
        this.#change(target, { removed: [], set: { name: newName, node: found } });
      },
      rename: async (name, to, newName) => {
        this.#step("rename");
        const target = nodeOf(to);
        const found = find(name);
        if (target.names.get(newName) === found) return;
        if (target === node)
          return this.#change(node, { removed: [name], set: { name: newName, node: found } });
        this.#change(target, { removed: [], set: { name: newName, node: found } });
        this.#change(node, { removed: [name] });
      },
      replace: async (name, to, { name: newName, identity }) => {
        this.#step("rename");
        const target = nodeOf(to);
        const [found, old] = [find(name), target.names.get(newName)];
        if (old === undefined) throw systemError("ENOENT", newName);
        if (statusOf(old).identity !== identity) throw systemError("ESTALE", newName);
        this.#change(target, { removed: [], set: { name: newName, node: found } });
        this.#change(node, { removed: [name] });
      },
      unlink: async (name) => {
        this.#step("unlink");
        if (find(name).kind !== "file") throw systemError("EISDIR", name);
        this.#change(node, { removed: [name] });
      },
      removeFolder: async (name) => {
        this.#step("removeFolder");
        const found = find(name);
        if (found.kind !== "folder") throw systemError("ENOTDIR", name);
        if (found.names.size > 0) throw systemError("ENOTEMPTY", name);
        this.#change(node, { removed: [name] });
      },
    };
  }

  #openFile(node: FileNode): OpenFile {
    return {
      status: async () => statusOf(node),
      read: async (buffer, offset) => {
        this.#look();
        const part = node.bytes.subarray(offset, offset + buffer.length);
        buffer.set(part);
        return part.length;
      },
      write: async (bytes) => {
        this.#step("write");
        node.bytes = bytes.slice();
        node.synced = undefined;
        node.modifiedNs = BigInt(this.steps) + 1_000_000n;
      },
      setMode: async (mode) => {
        this.#step("setMode");
        node.mode = mode;
      },
      setOwner: () => Promise.resolve(),
      setModified: async (modifiedNs) => {
        this.#step("setModified");
        node.modifiedNs = modifiedNs;
      },
      sync: async () => {
        this.#step("sync");
        if (this.syncsFiles) node.synced = node.bytes;
      },
      close: () => Promise.resolve(),
    };
  }

  #foldersWithChanges(): FolderNode[] {
    const found = new Set<FolderNode>();
    const walk = (folder: FolderNode): void => {
      if (folder.pending.length > 0) found.add(folder);
      for (const node of [...folder.names.values(), ...folder.syncedNames.values()])
        if (node.kind === "folder" && node !== folder) walk(node);
    };
    walk(this.#root);
    return [...found];
  }
}

const nodes = new WeakMap<Folder, FolderNode>();

function nodeOf(folder: Folder): FolderNode {
  const node = nodes.get(folder);
  if (node === undefined) throw new Error("The folder is of another disk.");
  return node;
}

function applyChange(names: Map<string, Node>, { removed, set }: NameChange): void {
  for (const name of removed) names.delete(name);
  if (set !== undefined) names.set(set.name, set.node);
}

/** All subsets in order; of long lists the beginnings and those without one. */
function subsetsOf(changes: readonly NameChange[]): NameChange[][] {
  if (changes.length > 6)
    return [
      ...changes.map((_, end) => changes.slice(0, end)),
      ...changes.map((gone) => changes.filter((it) => it !== gone)),
      [...changes],
    ];
  return Array.from({ length: 2 ** changes.length }, (_, bits) =>
    changes.filter((_change, index) => Math.floor(bits / 2 ** index) % 2 === 1),
  );
}

function tear(bytes: Uint8Array, torn: Torn): Uint8Array {
  if (torn === "kept") return bytes;
  if (torn === "empty") return new Uint8Array(0);
  return torn === "half" ? bytes.slice(0, bytes.length / 2) : new Uint8Array(bytes.length);
}

function statusOf(node: Node): EntryStatus {
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
