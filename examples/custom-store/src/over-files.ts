import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import type { KeyValueDatabase } from "@ccl/artifact-store";

/** A folder with one file for each key. A file gets its name when it is complete and on the disk. */
export async function overFiles(folder: string): Promise<KeyValueDatabase> {
  await mkdir(folder, { recursive: true });
  const pathOf = (key: string): string => join(folder, encodeURIComponent(key));
  return {
    get: (key) => readFile(pathOf(key)).catch(undefinedIfMissing),
    async set(key, value) {
      const draft = join(folder, `.${randomUUID()}`);
      const file = await open(draft, "w");
      await file.writeFile(value);
      await file.sync();
      await file.close();
      await rename(draft, pathOf(key));
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    async keys(prefix) {
      const names = await readdir(folder);
      const keys = names.filter((name) => !name.startsWith(".")).map(decodeURIComponent);
      return keys.filter((key) => key.startsWith(prefix));
    },
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
