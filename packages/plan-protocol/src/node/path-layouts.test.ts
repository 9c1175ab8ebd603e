import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { readTree } from "../../test-support/read-tree.ts";
import { planOf } from "../../test-support/simulated-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

/** A layout has a line for each entry: `d/` is a folder, `f` a file, `a => target` a link. */
interface LayoutRow {
  id: string;
  path: string;
  expect: string;
  fs: string[];
}

/** Of the kinds that published test suites and reports have. */
const OWN: LayoutRow[] = [
  { id: "own name", path: "note.txt", expect: "reject", fs: ["note.txt => ../note.txt"] },
  {
    id: "settings elsewhere",
    path: "settings.json",
    expect: "reject",
    fs: ["settings.json => $HOME/.profile"],
  },
  {
    id: "a folder's link",
    path: "sub/out",
    expect: "reject",
    fs: ["sub/", "sub/out => ../../note.txt"],
  },
  { id: "a circle", path: "a", expect: "reject", fs: ["a => b", "b => a"] },
  { id: "up after a link", path: "a/../b", expect: "reject", fs: ["a => c/d", "c/", "c/d/"] },
  { id: "the parent", path: "up/x", expect: "reject", fs: ["up => ../"] },
  { id: "a folder that is missing", path: "a/b", expect: "accept", fs: [] },
  { id: "a plain folder", path: "a/b", expect: "accept", fs: ["a/"] },
];

function rows(): LayoutRow[] {
  const folder = process.env["CCL_PLAN_DATA"];
  if (folder === undefined) return OWN;
  const lines = readFileSync(join(folder, "paths.jsonl"), "utf8").split("\n");
  const all = lines
    .filter((line) => line !== "")
    .map((line): Partial<LayoutRow> => JSON.parse(line));
  const given = all.filter((row): row is LayoutRow => row.fs !== undefined);
  expect(given.length).toBeGreaterThan(0);
  return [...OWN, ...given];
}

describe("paths in folders laid out against them", () => {
  it.each(rows().map((row) => [row.id, row] as const))("%s", async (_id, row) => {
    const place = await mkdtemp(join(tmpdir(), "ccl-layout-"));
    try {
      const root = join(place, "root");
      await mkdir(root);
      await writeFile(join(place, "note.txt"), "outside");
      for (const line of row.fs) {
        const [name = "", target] = line.split(" => ");
        await mkdir(dirname(join(root, name)), { recursive: true });
        if (target !== undefined)
          await symlink(target.replace("$HOME", join(place, "home")), join(root, name));
        else if (name.endsWith("/")) await mkdir(join(root, name), { recursive: true });
        else await writeFile(join(root, name), "");
      }
      const before = await readTree(place);
      const workspace = await openWorkspace({ root, durability: "off" });
      const applied = await workspace.apply(
        planOf({ kind: "CREATE_FILE", path: row.path, content: "new" }),
      );
      expect(applied.ok ? "accept" : "reject").toBe(row.expect);
      const changed = Object.keys(await readTree(place)).filter(
        (path) => before[path] === undefined,
      );
      expect(changed.includes(`root/${row.path}`)).toBe(applied.ok);
      expect(await readTree(place)).toMatchObject(before);
      const { issues } = await workspace.read([{ type: "read_file", path: row.path }]);
      expect(issues).toHaveLength(applied.ok ? 0 : 1);
      await workspace.close();
    } finally {
      await rm(place, { recursive: true });
    }
  });
});
