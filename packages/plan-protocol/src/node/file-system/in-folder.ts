import type { Folder } from "./folder.ts";

/**
 * Calls a function with the folder at a path below another, such as `src/a`, and closes it afterwards. `""` is the
 * folder itself. Each segment is opened from its open parent, so no link on the way is followed. Fails with
 * `ENOENT`, `ENOTDIR` or `ELOOP` if no such folder exists.
 */
export async function inFolder<Value>(
  root: Folder,
  path: string,
  call: (folder: Folder) => Promise<Value>,
): Promise<Value> {
  if (path === "") return call(root);
  const { parent, name } = splitPath(path);
  return inFolder(root, parent, async (above) => {
    const folder = await above.openFolder(name);
    try {
      return await call(folder);
    } finally {
      await folder.close();
    }
  });
}

/** Returns a path's parent folder (`""` for the root) and last segment. */
export function splitPath(path: string): { parent: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { parent: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}
