import type { Folder } from "./folder.ts";

/** Folders that stay open for the next call, within what a process may have open. */
const MAX_OPEN = 64;

/** The folders below a root, each reached segment by segment from an open one, so that no link on the way is followed. */
export interface Tree {
  /** Runs a call with the folder at a path like `src/a`; `""` is the root. `ENOENT`, `ENOTDIR` or `ELOOP` where there is none. */
  inFolder<Value>(path: string, call: (folder: Folder) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

interface Entry {
  folder: Promise<Folder>;
  users: number;
}

/** The tree below an open folder. Folders are kept open until `close`: make one for each round of work, not for longer. */
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
    // What is not there now may be there at the next call.
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

/** Runs a call with a tree that is closed afterwards. */
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

/** A path's folder, `""` for the root, and its last segment. */
export function splitPath(path: string): { parent: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { parent: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

async function closeEntry({ folder }: Entry): Promise<void> {
  await (await folder.catch(() => undefined))?.close();
}
