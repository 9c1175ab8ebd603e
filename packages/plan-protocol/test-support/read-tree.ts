import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** What a file is: its bytes, its mode and its time to the nanosecond; of folders the mode, of links the target. */
export type TreeEntry = string;

/** All entries below a root but `.ccl`, by path. */
export async function readTree(root: string): Promise<Record<string, TreeEntry>> {
  const found: Record<string, TreeEntry> = {};
  const walk = async (folder: string, path: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      if (name === ".ccl") continue;
      const below = path === "" ? name : `${path}/${name}`;
      const place = join(folder, name);
      const status = await lstat(place, { bigint: true });
      const mode = (status.mode & 0o7777n).toString(8);
      if (status.isDirectory()) {
        found[below] = `folder ${mode}`;
        await walk(place, below);
      } else if (status.isSymbolicLink()) found[below] = `link ${await readlink(place)}`;
      else if (status.isFile())
        found[below] =
          `file ${mode} ${status.mtimeNs} ${(await readFile(place)).toString("base64")}`;
      else found[below] = "other";
    }
  };
  await walk(root, "");
  return found;
}
