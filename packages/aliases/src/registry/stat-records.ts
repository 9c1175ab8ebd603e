import { compareCodeUnits } from "@ccl/core";
import type { AliasStat } from "./alias-registry.ts";
import { locateFile, type NoFile, type TreeFile } from "./locate-file.ts";
import type { FileHasher } from "./cached-file-hasher.ts";
import type { TreeContext } from "./scan-tree.ts";

/** Returns the current content hash of every named file. */
export async function statRecords({
  root,
  records,
  hash,
  pacer,
}: TreeContext): Promise<AliasStat[]> {
  const sorted = [...records].sort(([a], [b]) => compareCodeUnits(a, b));
  const stats: AliasStat[] = [];
  for (const [alias, { path }] of sorted) {
    stats.push({ alias, path, ...hashOf(locateFile(root, path), hash) });
    await pacer.step(stats.length, sorted.length);
  }
  return stats;
}

function hashOf(file: TreeFile | NoFile, hash: FileHasher): Pick<AliasStat, "sha256" | "isBinary"> {
  if (typeof file === "string") return { isBinary: false };
  try {
    return hash(file);
  } catch {
    return { isBinary: false };
  }
}
