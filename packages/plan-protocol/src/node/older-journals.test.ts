import { chmod, link, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readTree } from "../../test-support/read-tree.ts";
import { openWorkspace } from "./open-workspace.ts";
import olderJournals from "./__fixtures__/older-journals.json" with { type: "json" };

/** A file or folder by its path. A file with a `link` is another name of that file. */
type Tree = Record<string, { mode?: string; text?: string; link?: string }>;

/**
 * Trees and journals that an earlier build wrote. Its processes were killed where the name says. Version 1 of the
 * journal, as now, but without diffs and without a record of checks.
 */
const before: Tree = olderJournals.before;
const states: Record<string, Tree> = olderJournals.states;

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-older-journals-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function writeTree(folder: string, tree: Tree | undefined): Promise<void> {
  for (const [path, { mode, text, link: target }] of Object.entries(tree ?? {})) {
    const place = join(folder, path);
    if (target !== undefined) await link(join(folder, target), place);
    else if (text === undefined) await mkdir(place);
    else await writeFile(place, text);
    if (mode !== undefined) await chmod(place, Number.parseInt(mode, 8));
    if (text !== undefined) await utimes(place, 1_600_000_000, 1_600_000_000);
  }
}

async function treeBefore(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-older-journals-"));
  await writeTree(folder, before);
  return await readTree(folder).finally(() => rm(folder, { recursive: true }));
}

describe("the journal of an older version", () => {
  it.each(["while it changed the files", "while it rolled back"])(
    "that was killed %s is recovered to the old files",
    async (state) => {
      await writeTree(root, states[state]);
      const workspace = await openWorkspace({ root });
      expect(workspace.unfinished).toEqual(["t1"]);
      expect(await workspace.recover()).toMatchObject([
        { transactionId: "t1", outcome: "rolled_back", keptPaths: [], writtenPaths: [] },
      ]);
      expect(await readTree(root)).toEqual(await treeBefore());
      expect(await workspace.transactions()).toMatchObject([{ status: "rolled_back" }]);
      await workspace.close();
    },
  );

  it("that was killed while a check wrote to a file names this file, and restores the others", async () => {
    await writeTree(root, states["while a check ran"]);
    const workspace = await openWorkspace({ root });
    expect(await workspace.recover()).toMatchObject([
      { outcome: "rolled_back", keptPaths: ["src/a.txt"] },
    ]);
    const [old, now] = [await treeBefore(), await readTree(root)];
    expect({ ...now, "src/a.txt": old["src/a.txt"] }).toEqual(old);
    expect(await readFile(join(root, "src/a.txt"), "utf8")).toContain("more\n");
    expect(await readFile(join(root, ".ccl/transactions/t1/moved/3"), "utf8")).toContain("a one");
    await workspace.close();
  });

  it("that it committed is listed and can be rolled back", async () => {
    await writeTree(root, states["after it committed"]);
    const workspace = await openWorkspace({ root });
    expect(workspace.unfinished).toEqual([]);
    expect(await workspace.transactions()).toMatchObject([
      { transactionId: "t1", status: "committed" },
    ]);
    expect(await workspace.diff("t1")).toBeUndefined();
    expect(await workspace.rollback("t1")).toMatchObject({ ok: true });
    expect(await readTree(root)).toEqual(await treeBefore());
    await workspace.close();
  });
});
