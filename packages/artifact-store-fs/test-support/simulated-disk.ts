import { dirname, basename } from "node:path";
import type { FileSystem, FileStatus, OpenFile } from "../src/file-system/file-system.ts";

/** A change of one folder's names that has not been synced; the names it takes away go first. */
interface NameChange {
  removed: string[];
  set?: { name: string; node: Node };
}

interface FileNode {
  kind: "file";
  bytes: Uint8Array;
  /** What a power cut can't take; undefined before the first sync. */
  synced: Uint8Array | undefined;
  timeMs: number;
}

interface FolderNode {
  kind: "folder";
  names: Map<string, Node>;
  syncedNames: Map<string, Node>;
  pending: NameChange[];
}

type Node = FileNode | FolderNode;

/** What bytes that were never synced may hold after a power cut. */
export type TornContent = "kept" | "empty" | "half" | "zeros";

/** The power is gone: no call does anything any more. */
export class PowerCut extends Error {}

/**
 * A disk in memory that can lose its power before any call, and then knows every state that the standard allows: of the
 * names of a folder any of the changes since its last sync, of a file that was not synced anything.
 */
export class SimulatedDisk {
  /** Calls so far that change something; before any other the disk is as it is before the next of these. */
  steps = 0;
  /** The call before which the power goes. */
  cutBefore: number = Infinity;
  /** Called before each step; may throw as the system would. */
  onStep: ((call: string, path: string) => void) | undefined;
  readonly #root: FolderNode;

  constructor(root?: FolderNode) {
    this.#root = root ?? emptyFolder();
  }

  /** A disk with the same content, everything on it synced. */
  clone(): SimulatedDisk {
    return new SimulatedDisk(
      copyTree(this.#root, { namesOf: (folder) => folder.names, bytesOf: (file) => file.bytes }),
    );
  }

  get fileSystem(): FileSystem {
    return {
      create: async (path) => this.#open(this.#create(path)),
      open: async (path) => {
        this.#step("open", path);
        return this.#open(this.#file(path));
      },
      status: async (path) => this.#status(path),
      list: async (path) => {
        this.#step("list", path);
        return [...this.#folder(path).names.keys()];
      },
      listKinds: async (path) => {
        const node = this.#find(path);
        return node?.kind === "folder"
          ? new Map([...node.names].map(([name, { kind }]) => [name, kind]))
          : undefined;
      },
      link: async (from, to) => {
        this.#step("link", to);
        const node = this.#file(from);
        if (this.#find(to) !== undefined) throw systemError("EEXIST", to);
        this.#change(dirname(to), { removed: [], set: { name: basename(to), node } });
      },
      rename: async (from, to) => {
        this.#step("rename", from);
        const node = this.#file(from);
        if (dirname(from) !== dirname(to)) throw systemError("EXDEV", to);
        this.#change(dirname(from), {
          removed: [basename(from)],
          set: { name: basename(to), node },
        });
      },
      unlink: async (path) => {
        this.#step("unlink", path);
        this.#file(path);
        this.#change(dirname(path), { removed: [basename(path)] });
      },
      setTime: async (path, timeMs) => {
        this.#step("setTime", path);
        this.#file(path).timeMs = timeMs;
      },
      makeFolder: async (path) => {
        this.#step("makeFolder", path);
        this.#makeFolder(path);
      },
      syncFolder: async (path) => {
        this.#step("syncFolder", path);
        const folder = this.#folder(path);
        folder.syncedNames = new Map(folder.names);
        folder.pending = [];
      },
    };
  }

  /** Disks as they may be found after the power went, at most `limit` of them, chosen evenly. */
  crashStates(limit: number): { disk: SimulatedDisk; torn: TornContent }[] {
    const folders = this.#folders();
    const choices = folders.map((folder) => subsetsOf(folder.pending));
    const total = choices.reduce((product, list) => product * list.length, 1);
    const tornKinds: readonly TornContent[] = holdsUnsynced(this.#root)
      ? ["kept", "empty", "half", "zeros"]
      : ["kept"];
    const count = Math.min(total * tornKinds.length, limit);
    const stride = (total * tornKinds.length) / count;
    return Array.from({ length: count }, (_, index) => {
      const torn = tornKinds[index % tornKinds.length] ?? "kept";
      let rest = Math.floor((index * stride) / tornKinds.length);
      const kept = new Map<FolderNode, NameChange[]>();
      for (const [at, folder] of folders.entries()) {
        const list = choices[at] ?? [[]];
        kept.set(folder, list[rest % list.length] ?? []);
        rest = Math.floor(rest / list.length);
      }
      const namesOf = (folder: FolderNode): Map<string, Node> =>
        applyChanges(folder, kept.get(folder) ?? []);
      const bytesOf = (file: FileNode): Uint8Array => file.synced ?? tear(file.bytes, torn);
      return { disk: new SimulatedDisk(copyTree(this.#root, { namesOf, bytesOf })), torn };
    });
  }

  /** The bytes of a file, to look at or to damage. */
  bytesOf(path: string): Uint8Array {
    return this.#file(path).bytes;
  }

  #step(call: string, path: string): void {
    if (this.steps >= this.cutBefore) throw new PowerCut(`The power went before ${call} ${path}.`);
    if (call === "open" || call === "status" || call === "list") return this.onStep?.(call, path);
    this.steps += 1;
    this.onStep?.(call, path);
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const part of path.split("/").filter((part) => part !== "")) {
      node = node?.kind === "folder" ? node.names.get(part) : undefined;
    }
    return node;
  }

  #file(path: string): FileNode {
    const node = this.#find(path);
    if (node === undefined) throw systemError("ENOENT", path);
    if (node.kind === "folder") throw systemError("EISDIR", path);
    return node;
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (node?.kind !== "folder") throw systemError("ENOENT", path);
    return node;
  }

  #makeFolder(path: string): void {
    if (path === "/" || this.#find(path) !== undefined) return;
    this.#makeFolder(dirname(path));
    this.#change(dirname(path), {
      removed: [],
      set: { name: basename(path), node: emptyFolder() },
    });
  }

  #change(path: string, change: NameChange): void {
    const folder = this.#folder(path);
    applyChange(folder.names, change);
    folder.pending.push(change);
  }

  #create(path: string): FileNode {
    this.#step("create", path);
    if (this.#find(path) !== undefined) throw systemError("EEXIST", path);
    const node: FileNode = { kind: "file", bytes: new Uint8Array(0), synced: undefined, timeMs: 0 };
    this.#change(dirname(path), { removed: [], set: { name: basename(path), node } });
    return node;
  }

  #status(path: string): FileStatus | undefined {
    this.#step("status", path);
    const node = this.#find(path);
    if (node === undefined) return undefined;
    if (node.kind === "folder") return { kind: "folder", sizeBytes: 0, timeMs: 0, changedAtMs: 0 };
    return { kind: "file", sizeBytes: node.bytes.length, timeMs: node.timeMs, changedAtMs: 0 };
  }

  #open(node: FileNode): OpenFile {
    return {
      write: async (bytes, offset) => {
        this.#step("write", "");
        const grown = new Uint8Array(Math.max(node.bytes.length, offset + bytes.length));
        grown.set(node.bytes);
        grown.set(bytes, offset);
        node.bytes = grown;
        node.synced = undefined;
      },
      read: async (buffer, offset) => {
        const part = node.bytes.subarray(offset, offset + buffer.length);
        buffer.set(part);
        return part.length;
      },
      setTime: async (timeMs) => {
        node.timeMs = timeMs;
      },
      sync: async () => {
        this.#step("sync", "");
        node.synced = node.bytes;
      },
      close: () => Promise.resolve(),
    };
  }

  #folders(): FolderNode[] {
    const found: FolderNode[] = [];
    const walk = (folder: FolderNode): void => {
      if (folder.pending.length > 0) found.push(folder);
      for (const node of folder.names.values()) if (node.kind === "folder") walk(node);
    };
    walk(this.#root);
    return found;
  }
}

function emptyFolder(): FolderNode {
  return { kind: "folder", names: new Map(), syncedNames: new Map(), pending: [] };
}

function applyChange(names: Map<string, Node>, { removed, set }: NameChange): void {
  for (const name of removed) names.delete(name);
  if (set !== undefined) names.set(set.name, set.node);
}

function applyChanges(folder: FolderNode, changes: readonly NameChange[]): Map<string, Node> {
  const names = new Map(folder.syncedNames);
  for (const change of changes) applyChange(names, change);
  return names;
}

/** All subsets in order; of long lists the beginnings and those without one. */
function subsetsOf(changes: readonly NameChange[]): NameChange[][] {
  if (changes.length > 8) {
    return [
      ...changes.map((_, end) => changes.slice(0, end)),
      ...changes.map((gone) => changes.filter((it) => it !== gone)),
      [...changes],
    ];
  }
  return Array.from({ length: 2 ** changes.length }, (_, bits) =>
    changes.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1),
  );
}

/** Whether a power cut may leave other bytes in any file than it has. */
function holdsUnsynced(node: Node): boolean {
  if (node.kind === "file") return node.synced === undefined && node.bytes.length > 0;
  const changed = node.pending.flatMap(({ set }) => (set === undefined ? [] : [set.node]));
  return [...new Set([...node.names.values(), ...node.syncedNames.values(), ...changed])].some(
    holdsUnsynced,
  );
}

function tear(bytes: Uint8Array, torn: TornContent): Uint8Array {
  if (torn === "kept") return bytes;
  if (torn === "empty") return new Uint8Array(0);
  return torn === "half" ? bytes.slice(0, bytes.length / 2) : new Uint8Array(bytes.length);
}

/** What a copy holds of the tree that it is made of. */
interface TreeContents {
  namesOf: (folder: FolderNode) => Map<string, Node>;
  bytesOf: (file: FileNode) => Uint8Array;
}

function copyTree(
  folder: FolderNode,
  contents: TreeContents,
  files = new Map<FileNode, FileNode>(),
): FolderNode {
  const names = new Map<string, Node>();
  for (const [name, node] of contents.namesOf(folder)) {
    if (node.kind === "folder") names.set(name, copyTree(node, contents, files));
    else {
      const bytes = contents.bytesOf(node).slice();
      const copy = files.get(node) ?? { kind: "file", bytes, synced: bytes, timeMs: node.timeMs };
      files.set(node, copy);
      names.set(name, copy);
    }
  }
  return { kind: "folder", names, syncedNames: new Map(names), pending: [] };
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
