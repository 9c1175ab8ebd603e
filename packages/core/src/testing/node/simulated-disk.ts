interface FileNode {
  kind: "file";
  /** Like an inode: two names with the same id are one file. */
  id: number;
  bytes: Uint8Array;
  /** What survives a power cut. Undefined before the first sync. */
  synced: Uint8Array | undefined;
  mode: number;
  modifiedNs: bigint;
}

interface FolderNode {
  kind: "folder";
  id: number;
  names: Map<string, Node>;
  syncedNames: Map<string, Node>;
  /** Name changes since the last sync. Each survives or is lost separately. */
  pending: NameChange[];
  mode: number;
}

type Node = FileNode | FolderNode;

interface NameChange {
  removed?: string | undefined;
  set?: { name: string; node: Node } | undefined;
}

/** Possible content, after a power cut, of bytes that were never synced. */
const torn: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
  (bytes) => bytes,
  () => new Uint8Array(0),
  (bytes) => bytes.slice(0, bytes.length / 2),
  (bytes) => new Uint8Array(bytes.length),
];

/**
 * An in-memory disk that tests whether files stay consistent. It can lose power, or fail, before
 * any call. It then produces every state that POSIX allows: any subset of a folder's name changes
 * since its last sync, even half of a move between folders, and any content for a file that was not
 * synced. A test builds its own file system on top.
 */
export class SimulatedDisk {
  /** Number of changing calls so far. */
  steps = 0;
  /** The step before which the power fails. */
  cutBefore: number = Infinity;
  /** Called before each step. May throw, like the system. */
  onStep: ((call: string, step: number) => void) | undefined;
  /** False for a disk that acknowledges a sync without performing it. */
  syncsFiles = true;
  readonly root: FolderNode;
  #lastId = 1;

  constructor(root?: FolderNode) {
    this.root = root ?? this.#emptyFolder();
  }

  /** Call this before every change. */
  step(call: string): void {
    this.look();
    const step = this.steps;
    this.steps += 1;
    this.onStep?.(call, step);
  }

  /** Call this before every read. */
  look(): void {
    if (this.steps >= this.cutBefore) throw new Error(`The power failed at step ${this.steps}.`);
  }

  /** @throws an error of code `ENOENT` */
  find(folder: FolderNode, name: string): Node {
    const found = folder.names.get(name);
    if (found === undefined) throw systemError("ENOENT", name);
    return found;
  }

  /** Changes names in one step, which a power cut either undoes or keeps. */
  rename(folder: FolderNode, removed: string | undefined, name?: string, node?: Node): void {
    const set = name === undefined || node === undefined ? undefined : { name, node };
    const change = { removed, set };
    applyChange(folder.names, change);
    folder.pending.push(change);
  }

  /** @throws an error of code `EEXIST` */
  createFile(folder: FolderNode, name: string, mode = 0o644): FileNode {
    this.step("create");
    const bytes = new Uint8Array(0);
    const id = this.#nextId();
    return this.#add(folder, name, {
      kind: "file",
      id,
      bytes,
      synced: undefined,
      mode,
      modifiedNs: 1n,
    });
  }

  /** @throws an error of code `EEXIST` */
  makeFolder(folder: FolderNode, name: string): FolderNode {
    this.step("makeFolder");
    return this.#add(folder, name, this.#emptyFolder());
  }

  /** Replaces the content of a file. */
  write(file: FileNode, bytes: Uint8Array): void {
    this.step("write");
    Object.assign(file, { bytes, synced: undefined, modifiedNs: BigInt(this.steps) + 1_000_000n });
  }

  /** Makes the content of a file, or the names in a folder, durable. */
  sync(node: Node): void {
    this.step(node.kind === "file" ? "sync" : "syncFolder");
    if (node.kind === "folder") {
      node.syncedNames = new Map(node.names);
      node.pending = [];
    } else if (this.syncsFiles) node.synced = node.bytes;
  }

  /** Copies the disk, with everything on it synced. */
  clone(): SimulatedDisk {
    return this.#copy(
      (folder) => new Map(folder.names),
      (file) => file.bytes,
    );
  }

  /**
   * Returns the possible disks after a power cut: up to `limit` of them, spread evenly. The last
   * one has lost nothing.
   */
  crashStates(limit: number): SimulatedDisk[] {
    const nodes = nodesBelow(this.root);
    const folders = nodes.filter((node) => node.kind === "folder" && node.pending.length > 0);
    const choices = new Map(
      folders.map((node) => [node, node.kind === "folder" ? subsetsOf(node.pending) : []]),
    );
    const isUnsynced = (node: Node): boolean =>
      node.kind === "file" && node.synced === undefined && node.bytes.length > 0;
    const tears = nodes.some(isUnsynced) ? torn : torn.slice(0, 1);
    const total = [...choices.values()].reduce((count, list) => count * list.length, tears.length);
    const count = Math.min(total, limit);
    return Array.from({ length: count }, (_, index) => {
      let rest = count === 1 ? total - 1 : Math.floor((index * (total - 1)) / (count - 1));
      const kept = new Map<Node, NameChange[]>();
      for (const [folder, list] of choices) {
        kept.set(folder, list[rest % list.length] ?? []);
        rest = Math.floor(rest / list.length);
      }
      const tear = tears[tears.length - 1 - rest];
      return this.#copy(
        (folder) => {
          const names = new Map(folder.syncedNames);
          for (const change of kept.get(folder) ?? []) applyChange(names, change);
          return names;
        },
        (file) => file.synced ?? tear?.(file.bytes) ?? file.bytes,
      );
    });
  }

  #copy(
    namesOf: (folder: FolderNode) => Map<string, Node>,
    bytesOf: (file: FileNode) => Uint8Array,
  ): SimulatedDisk {
    const files = new Map<FileNode, FileNode>();
    const copyFile = (file: FileNode): FileNode => {
      const bytes = bytesOf(file);
      const copy = files.get(file) ?? { ...file, bytes, synced: bytes };
      files.set(file, copy);
      return copy;
    };
    const copyFolder = (folder: FolderNode): FolderNode => {
      const names = new Map<string, Node>();
      for (const [name, node] of namesOf(folder))
        names.set(name, node.kind === "folder" ? copyFolder(node) : copyFile(node));
      return { ...folder, names, syncedNames: new Map(names), pending: [] };
    };
    const disk = new SimulatedDisk(copyFolder(this.root));
    disk.#lastId = this.#lastId;
    return disk;
  }

  #add<Added extends Node>(folder: FolderNode, name: string, node: Added): Added {
    if (folder.names.has(name)) throw systemError("EEXIST", name);
    this.rename(folder, undefined, name, node);
    return node;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #emptyFolder(): FolderNode {
    return {
      kind: "folder",
      id: this.#nextId(),
      names: new Map(),
      syncedNames: new Map(),
      pending: [],
      mode: 0o755,
    };
  }
}

function applyChange(names: Map<string, Node>, { removed, set }: NameChange): void {
  if (removed !== undefined) names.delete(removed);
  if (set !== undefined) names.set(set.name, set.node);
}

/** Returns every node that a power cut may leave reachable. */
function nodesBelow(root: FolderNode): Node[] {
  const found = new Set<Node>([root]);
  for (const node of found) {
    if (node.kind === "file") continue;
    const pending = node.pending.flatMap(({ set }) => (set === undefined ? [] : [set.node]));
    for (const below of [...node.names.values(), ...node.syncedNames.values(), ...pending])
      found.add(below);
  }
  return [...found];
}

/**
 * Returns all subsets, in order. For a long list only its prefixes, the list without each single
 * element, and the whole list.
 */
function subsetsOf(changes: readonly NameChange[]): NameChange[][] {
  if (changes.length > 8)
    return [
      ...changes.map((_, end) => changes.slice(0, end)),
      ...changes.map((gone) => changes.filter((it) => it !== gone)),
      [...changes],
    ];
  return Array.from({ length: 2 ** changes.length }, (_, bits) =>
    changes.filter((_change, index) => Math.floor(bits / 2 ** index) % 2 === 1),
  );
}

function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
