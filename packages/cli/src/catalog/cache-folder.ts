import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a catalog's folder keeps what can be made again; no version control sees it. */
export function makeCacheFolder(folder: string): string {
  const cache = join(folder, ".cache");
  if (existsSync(join(cache, ".gitignore"))) return cache;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, ".gitignore"), "*\n");
  return cache;
}
