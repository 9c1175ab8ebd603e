import type { Folder } from "./folder.ts";

/** Codes of a path that does not lead to a folder. */
export const NO_FOLDER: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP"];

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
  return atPath(root, path, async (above, name) => {
    const folder = await above.openFolder(name);
    try {
      return await call(folder);
    } finally {
      await folder.close();
    }
  });
}

/** Calls a function with a path's open parent folder and its last segment. */
export function atPath<Value>(
  root: Folder,
  path: string,
  call: (folder: Folder, name: string) => Promise<Value>,
): Promise<Value> {
  const parent = parentOf(path);
  const name = parent === "" ? path : path.slice(parent.length + 1);
  return inFolder(root, parent, (folder) => call(folder, name));
}

/** Returns a path's parent folder. `""` is the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
