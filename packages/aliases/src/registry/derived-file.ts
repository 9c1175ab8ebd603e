import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";

/** Size of the format's name, the writer's id, and the digest of everything after it. */
const HEADER_BYTES = "ccl-derived-3 ".length + 65 + 65;

/**
 * Reads the values in a cache file, by hash. Returns an empty map if the file is missing, damaged,
 * or written by other code or a newer Node.
 */
export function readDerivedFile(file: string, writerId: string): Map<string, Buffer> {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(HEADER_BYTES);
    // Verify every byte, at about 2 GB a second. Otherwise, a damaged value could appear in a pack
    // as the file's own text.
    const isIntact = bytes.toString("latin1", 0, HEADER_BYTES) === headerOf(body, writerId);
    const values: unknown = isIntact ? deserialize(body) : undefined;
    return values instanceof Map ? values : new Map<string, Buffer>();
  } catch {
    return new Map<string, Buffer>();
  }
}

/** Renders a file of values by hash. `writerId` must have 64 ASCII characters. */
export function renderDerivedFile(
  values: ReadonlyMap<string, Buffer>,
  writerId: string,
): Uint8Array {
  const body = serialize(values);
  return Buffer.concat([Buffer.from(headerOf(body, writerId)), body]);
}

function headerOf(body: Buffer, writerId: string): string {
  return `ccl-derived-3 ${writerId} ${hash("sha256", body)}\n`;
}
