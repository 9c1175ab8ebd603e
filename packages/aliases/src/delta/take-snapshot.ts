import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

/** Number of files read concurrently. */
const batchSize = 16;

/** Options of `takeSnapshot`. */
export interface TakeSnapshotOptions {
  registry: AliasRegistry;
  /** All aliases by default. */
  aliases?: readonly string[] | undefined;
  /**
   * Aliases whose text is kept, so that a later delta can show what changed. Binary files have no
   * text. "all" by default.
   */
  texts?: "all" | "none" | readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Captures the state of the registry's files on disk, with LF line ends. Omits unknown aliases and
 * those whose file is gone.
 */
export async function takeSnapshot(options: TakeSnapshotOptions): Promise<Snapshot> {
  const { registry, texts = "all", signal } = options;
  const aliases = [...new Set(options.aliases ?? registry.list().map((entry) => entry.alias))];
  const kept = new Set(typeof texts === "string" ? [] : texts);
  const found: [string, SnapshotEntry][] = [];
  for (let start = 0; start < aliases.length; start += batchSize) {
    if (signal?.aborted === true) {
      throw new AliasesError("aborted", `The snapshot of ${registry.root} was aborted.`, {
        cause: signal.reason,
      });
    }
    const batch = aliases.slice(start, start + batchSize);
    const results = await Promise.all(
      batch.map((alias) => registry.resolve(alias, signal === undefined ? {} : { signal })),
    );
    for (const result of results) {
      if (!result.ok) continue;
      const { alias, path, sha256, text } = result.value;
      const isKept = text !== undefined && (texts === "all" || kept.has(alias));
      found.push([
        alias,
        isKept ? { path, sha256, text: text.replaceAll("\r\n", "\n") } : { path, sha256 },
      ]);
    }
  }
  const entries = orderedByAlias(found);
  return { id: snapshotId(entries), entries };
}
