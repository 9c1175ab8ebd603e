import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** Libraries whose code affects derived values, in addition to this package and the parsers. */
const LIBRARIES = ["@ccl/core", "@ccl/search", "diff/package.json"];

let known: string | undefined;

/**
 * Returns 64 hex digits that change whenever the code may derive different values from the same
 * content. For unbuilt sources, the id is valid only within one process.
 */
export function codeId(): string {
  known ??= import.meta.url.endsWith(".ts")
    ? hash("sha256", `${process.pid} ${performance.timeOrigin}`)
    : hashCode();
  return known;
}

function hashCode(): string {
  const own = fileURLToPath(import.meta.url);
  const grammars = join(dirname(own), "wasm", "package.json");
  const files = [own, ...[grammars, ...LIBRARIES].flatMap((name) => placeOf(name))];
  return hash("sha256", files.map((file) => hash("sha256", readFileSync(file))).join(" "));
}

/** Returns the path of a library, or an empty list if a bundle includes the library or lacks the parsers. */
function placeOf(name: string): string[] {
  try {
    return [require.resolve(name)];
  } catch {
    return [];
  }
}
