import { join } from "node:path";

import type { DerivedCache } from "./alias-registry.ts";
import {
  decodeEntry,
  encodeEntry,
  readDerivedFile,
  renderDerivedFile,
  type DerivedFile,
} from "./derived-file.ts";

/** The location of a derived cache, and how to write it. */
export interface DerivedCacheOptions {
  /** Folder of the cache's files, one per kind. Undefined keeps everything in memory. */
  directory: string | undefined;
  /** Writes a whole file. Undefined for a read-only cache. */
  write: ((file: string, bytes: Uint8Array) => Promise<void>) | undefined;
  /**
   * 64 hex digits that identify the code deriving the values. Values from other code are ignored.
   */
  writerId: () => string;
  /** Hashes still in use. When the others outnumber them, the others are removed. */
  liveHashes: () => Iterable<string>;
}

interface KindTable {
  /** The values on disk. */
  stored: DerivedFile | undefined;
  /**
   * Entries set since then, which override the stored ones. Kept as bytes, they take no room on the
   * heap.
   */
  fresh: Map<string, Buffer>;
  touched: Set<string>;
  isChanged: boolean;
}

const HASH = /^[0-9a-f]{64}$/;
const STALE_ALLOWANCE_BYTES = 2_000_000;

/** Creates a cache of strings by kind and content hash. A damaged file counts as empty. */
export function createDerivedCache({
  directory,
  write,
  writerId,
  liveHashes,
}: DerivedCacheOptions): DerivedCache {
  const tables = new Map<string, KindTable>();

  function tableOf(kind: string): KindTable {
    let table = tables.get(kind);
    if (table === undefined) {
      const stored =
        directory === undefined ? undefined : readDerivedFile(fileOf(directory, kind), writerId());
      table = { stored, fresh: new Map(), touched: new Set(), isChanged: false };
      tables.set(kind, table);
    }
    return table;
  }

  return {
    get(kind, sha256) {
      const table = tableOf(kind);
      const fresh = table.fresh.get(sha256);
      const value = fresh === undefined ? table.stored?.get(sha256) : decodeEntry(fresh);
      if (value !== undefined) table.touched.add(sha256);
      return value;
    },
    set(kind, sha256, value) {
      const table = tableOf(kind);
      table.touched.add(sha256);
      table.fresh.set(sha256, encodeEntry(sha256, value));
      table.isChanged = true;
    },
    async flush() {
      if (directory === undefined || write === undefined) return;
      for (const [kind, table] of tables) {
        if (!table.isChanged) continue;
        table.isChanged = false;
        await write(
          fileOf(directory, kind),
          renderDerivedFile(entriesToKeep(table, liveHashes()), writerId()),
        );
      }
    },
  };
}

/** Kinds are short names of this package. Other characters are escaped in hex. */
function fileOf(directory: string, kind: string): string {
  const name = kind.replaceAll(
    /[^a-z0-9-]/g,
    (character) => `_${character.charCodeAt(0).toString(16)}_`,
  );
  return join(directory, `derived-${name}.cache`);
}

/**
 * Keeps the hashes of other branches and older versions for a while. Once they are the larger part,
 * all are dropped.
 */
function entriesToKeep(
  { stored, fresh, touched }: KindTable,
  liveHashes: Iterable<string>,
): Buffer[] {
  const live = new Set(liveHashes);
  const entries = [...fresh].flatMap(([sha256, entry]) => (HASH.test(sha256) ? [entry] : []));
  const stale: Buffer[] = [];
  for (const sha256 of stored?.keys() ?? []) {
    if (stored === undefined || fresh.has(sha256)) continue;
    const isStale = !live.has(sha256) && !touched.has(sha256);
    (isStale ? stale : entries).push(stored.bytesOf(sha256));
  }
  return sizeOf(stale) > sizeOf(entries) + STALE_ALLOWANCE_BYTES ? entries : [...entries, ...stale];
}

function sizeOf(entries: readonly Uint8Array[]): number {
  return entries.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
