import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { DerivedCache } from "./alias-registry.ts";

/** Where a derived cache stands, and how it is written. */
export interface DerivedCacheOptions {
  /** Folder of the cache's files, one a kind; undefined keeps everything in memory. */
  directory: string | undefined;
  /** Writes a file as a whole; undefined for a cache that only reads. */
  write: ((file: string, text: string) => Promise<void>) | undefined;
  /** Hashes that are in use; the rest may go when they are the larger part. */
  liveHashes: () => Iterable<string>;
}

/** Texts in JSON, decoded when asked for. */
interface KindTable {
  encoded: Map<string, string>;
  touched: Set<string>;
  isChanged: boolean;
}

const HASH = /^[0-9a-f]{64}$/;
const STALE_ALLOWANCE = 1000;

/** Keeps texts by kind and content hash. A damaged file is an empty one; a damaged line is a missing one. */
export function createDerivedCache({ directory, write, liveHashes }: DerivedCacheOptions): DerivedCache {
  const tables = new Map<string, KindTable>();

  function tableOf(kind: string): KindTable {
    let table = tables.get(kind);
    if (table === undefined) {
      const encoded = directory === undefined ? new Map<string, string>() : loadTable(fileOf(directory, kind));
      table = { encoded, touched: new Set(), isChanged: false };
      tables.set(kind, table);
    }
    return table;
  }

  return {
    get(kind, sha256) {
      const table = tableOf(kind);
      const encoded = table.encoded.get(sha256);
      if (encoded === undefined) return undefined;
      table.touched.add(sha256);
      return decode(encoded);
    },
    set(kind, sha256, value) {
      const table = tableOf(kind);
      table.touched.add(sha256);
      table.encoded.set(sha256, JSON.stringify(value));
      table.isChanged = true;
    },
    async flush() {
      if (directory === undefined || write === undefined) return;
      for (const [kind, table] of tables) {
        if (!table.isChanged) continue;
        table.isChanged = false;
        dropStale(table, liveHashes());
        await write(fileOf(directory, kind), renderTable(table));
      }
    },
  };
}

/** Kinds are our own short names; anything else in them is written out in hex. */
function fileOf(directory: string, kind: string): string {
  const name = kind.replaceAll(/[^a-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
  return join(directory, `derived-${name}.jsonl`);
}

function loadTable(file: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return new Map();
  }
  const encoded = new Map<string, string>();
  for (const line of text.split("\n")) {
    const sha256 = line.slice(0, 64);
    if (HASH.test(sha256)) encoded.set(sha256, line.slice(64));
  }
  return encoded;
}

function decode(encoded: string): string | undefined {
  try {
    const value: unknown = JSON.parse(encoded);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function renderTable({ encoded }: KindTable): string {
  return [...encoded].map(([sha256, value]) => `${sha256} ${value}\n`).join("");
}

/** Hashes of other branches and older contents stay for a while; they go all at once, when they are the larger part. */
function dropStale({ encoded, touched }: KindTable, liveHashes: Iterable<string>): void {
  const live = new Set(liveHashes);
  const stale = [...encoded.keys()].filter((sha256) => !live.has(sha256) && !touched.has(sha256));
  if (stale.length <= encoded.size - stale.length + STALE_ALLOWANCE) return;
  for (const sha256 of stale) encoded.delete(sha256);
}
