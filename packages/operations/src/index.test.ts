import fs from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

const importing = /^(?:import|export)(?! type\b)[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** The packages that a module and those that it imports name; `isLate` takes in what they load later. */
function packagesOf(file: string, isLate: boolean, seen: Set<string> = new Set()): Set<string> {
  for (const [, now, late] of fs.readFileSync(file, "utf8").matchAll(importing)) {
    const name = now ?? (isLate ? late : undefined);
    if (name === undefined || seen.has(name)) continue;
    if (!name.startsWith(".")) seen.add(name);
    else {
      const next = path.resolve(path.dirname(file), name);
      if (!seen.has(next)) packagesOf(next, isLate, seen.add(next));
    }
  }
  return seen;
}

it("loads neither schemas, nor templates, nor the compiler before a run needs them", () => {
  const index = path.join(import.meta.dirname, "index.ts");
  const heavy = ["@ccl/context-compiler", "@ccl/structured-output/json-schema", "liquidjs", "zod"];
  const loaded = (isLate: boolean): string[] => {
    const names = packagesOf(index, isLate);
    return heavy.filter((name) => names.has(name));
  };
  expect(loaded(false)).toEqual([]);
  expect(loaded(true)).toEqual(heavy);
});
