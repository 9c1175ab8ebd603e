import type { Folder } from "./folder.ts";

/** Folders kept open for later calls. Stays within a process's limit on open files. */
const MAX_OPEN = 64;

/**
 * The folders below a root. Each is opened segment by segment from its open parent, so that no link on the way is
 * followed.
 */
export interface Tree {
  /**
   * Runs a call with the folder at a path such as `src/a`. `""` is the root. `ENOENT`, `ENOTDIR` or `ELOOP` if there is
   * none.
   */
  inFolder<Value>(path: string, call: (folder: Folder) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

interface Entry {
  folder: Promise<Folder>;
  users: number;
}

/** Creates the tree below an open folder. Its folders stay open until `close`, so use one tree for a single task. */
function createTree(root: Folder): Tree {
  const entries = new Map<string, Entry>();

  const inFolder = async <Value>(
    path: string,
    call: (folder: Folder) => Promise<Value>,
  ): Promise<Value> => {
    if (path === "") return call(root);
    const entry = entries.get(path) ?? { folder: openBelow(path), users: 0 };
    entries.delete(path);
    entries.set(path, entry);
    entry.users += 1;
    try {
      return await call(await entry.folder);
    } finally {
      entry.users -= 1;
      await closeSurplus();
    }
  };

  const openBelow = (path: string): Promise<Folder> => {
    const { parent, name } = splitPath(path);
    const folder = inFolder(parent, (above) => above.openFolder(name));
    // A missing folder may exist at the next call.
    folder.catch(() => entries.delete(path));
    return folder;
  };

  const closeSurplus = async (): Promise<void> => {
    for (const [path, entry] of entries) {
      if (entries.size <= MAX_OPEN) return;
      if (entry.users > 0) continue;
      entries.delete(path);
      await closeEntry(entry);
    }
  };

  return {
    inFolder,
    async close() {
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.map(closeEntry));
    },
  };
}

/** Runs a call with a tree and closes the tree afterwards. */
export async function withTree<Value>(
  root: Folder,
  call: (tree: Tree) => Promise<Value>,
): Promise<Value> {
  const tree = createTree(root);
  try {
    return await call(tree);
  } finally {
    await tree.close();
  }
}

/** A path's parent folder (`""` for the root) and its last segment. */
export function splitPath(path: string): { parent: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { parent: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

async function closeEntry({ folder }: Entry): Promise<void> {
  await (await folder.catch(() => undefined))?.close();
}
