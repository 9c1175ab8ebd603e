import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const root = import.meta.dirname;

/** Collects the files that an entry loads when a program imports it. */
function loadedFrom(entry: string, loaded: Set<string> = new Set()): Set<string> {
  const file = relative(root, join(root, entry));
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const source = readFileSync(join(root, file), "utf8");
  const statements = source.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm);
  for (const [, path = ""] of statements) loadedFrom(join(dirname(file), path), loaded);
  return loaded;
}

it("loads importers and verification only through their own entries", () => {
  const ofEntry = (entry: string, folder: string): number =>
    [...loadedFrom(entry)].filter((file) => file.startsWith(`${folder}/`)).length;
  for (const entry of ["index.ts", "node/index.ts", "snapshot/index.ts"])
    for (const folder of ["importers", "verify"])
      expect({ entry, folder, files: ofEntry(entry, folder) }).toEqual({ entry, folder, files: 0 });
  expect(ofEntry("importers/index.ts", "verify")).toBe(0);
  expect(ofEntry("importers/index.ts", "importers")).toBeGreaterThan(5);
  expect(ofEntry("verify/index.ts", "verify")).toBeGreaterThan(5);
});
