import { join } from "node:path";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import type { DerivedCache } from "./alias-registry.ts";

/** Where to store a derived cache, and how to write it. */
interface DerivedCacheOptions {
  /** Folder for the cache's files. Each kind has its own file. */
  directory: string;
  /** Replaces a file's contents. Does nothing if the cache is memory-only. */
  write: (file: string, bytes: Uint8Array) => Promise<void>;
  /**
   * Returns 64 hex digits that identify the code that derives the values. Values from other code
   * are ignored.
   */
  writerId: () => string;
  /**
   * Returns the hashes still in use. All other values are removed once they take up more space than
   * these.
   */
  liveHashes: () => Iterable<string>;
}

interface KindTable {
  /** Keyed by content hash. Stored as UTF-8 to stay off the heap. */
  values: Map<string, Buffer>;
  touched: Set<string>;
  isChanged: boolean;
}

const STALE_ALLOWANCE_BYTES = 2_000_000;

/** Creates a cache of strings by kind and content hash. A damaged file is treated as empty. */
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
      const values = readDerivedFile(fileOf(directory, kind), writerId());
      table = { values, touched: new Set(), isChanged: false };
      tables.set(kind, table);
    }
    return table;
  }

  return {
    get(kind, sha256) {
      const { values, touched } = tableOf(kind);
      const value = values.get(sha256);
      if (value !== undefined) touched.add(sha256);
      return value?.toString();
    },
    set(kind, sha256, value) {
      const table = tableOf(kind);
      table.touched.add(sha256);
      table.values.set(sha256, Buffer.from(value));
      table.isChanged = true;
    },
    async flush() {
      for (const [kind, table] of tables) {
        if (!table.isChanged) continue;
        table.isChanged = false;
        try {
          await write(
            fileOf(directory, kind),
            renderDerivedFile(valuesToKeep(table, liveHashes()), writerId()),
          );
        } catch (error) {
          table.isChanged = true;
          throw error;
        }
      }
    },
  };
}

/** Returns the file for a kind. Kinds are short names in this package. Other characters are escaped as hex. */
function fileOf(directory: string, kind: string): string {
  const name = kind.replaceAll(
    /[^a-z0-9-]/g,
    (character) => `_${character.charCodeAt(0).toString(16)}_`,
  );
  return join(directory, `derived-${name}.cache`);
}

/**
 * Keeps values for other branches and older file versions until they outweigh the values in use,
 * then drops them all.
 */
function valuesToKeep(
  { values, touched }: KindTable,
  liveHashes: Iterable<string>,
): Map<string, Buffer> {
  const live = new Set(liveHashes);
  const used = new Map([...values].filter(([sha256]) => live.has(sha256) || touched.has(sha256)));
  return sizeOf(values) > 2 * sizeOf(used) + STALE_ALLOWANCE_BYTES ? used : values;
}

function sizeOf(values: ReadonlyMap<string, Buffer>): number {
  return [...values.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Size of the format's name, the writer's id, and the digest of everything after it. */
const HEADER_BYTES = "ccl-derived-3 ".length + 65 + 65;

/**
 * Reads the values in a cache file, by hash. Returns an empty map if the file is missing, damaged,
 * or written by other code or by a newer version of Node.js.
 */
function readDerivedFile(file: string, writerId: string): Map<string, Buffer> {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(HEADER_BYTES);
    // Verify the whole body (about 2 GB/s). Otherwise a corrupted value could end up in a pack as if
    // it were the file's text.
    const isIntact = bytes.toString("latin1", 0, HEADER_BYTES) === headerOf(body, writerId);
    const values: unknown = isIntact ? deserialize(body) : undefined;
    return values instanceof Map ? values : new Map<string, Buffer>();
  } catch {
    return new Map<string, Buffer>();
  }
}

/** Renders a file of values by hash. `writerId` must be 64 ASCII characters. */
function renderDerivedFile(values: ReadonlyMap<string, Buffer>, writerId: string): Uint8Array {
  const body = serialize(values);
  return Buffer.concat([Buffer.from(headerOf(body, writerId)), body]);
}

function headerOf(body: Buffer, writerId: string): string {
  return `ccl-derived-3 ${writerId} ${hash("sha256", body)}\n`;
}
