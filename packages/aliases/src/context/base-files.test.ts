import { AliasesError } from "../aliases-error.ts";
import { snapshotId } from "../delta/snapshot-id.ts";
import { describe, expect, it } from "vitest";

import { readBase, writeBase, type BaseFolder } from "./context-files.ts";
import type { ContextBase } from "./context-base.ts";

const MOST_OPERATIONS = 3;

function baseOf(hexDigit: string, accepted: number): ContextBase {
  const entries = {
    "H.main": { path: "src/main.ts", sha256: hexDigit.repeat(64), text: "const a = 1;\n" },
  };
  return {
    snapshot: { id: snapshotId(entries), entries },
    version: { accepted, deltas: 0, repairs: 0 },
  };
}

const before = baseOf("a", 1);
const after = baseOf("b", 2);

/** A folder whose process is killed after `operations` more changes. */
function createMortalFolder(files: Map<string, string>): BaseFolder & { operations: number } {
  const folder = {
    operations: Number.POSITIVE_INFINITY,
    pathOf: (name: string) => `.ccl/${name}`,
    read: async (name: string) => files.get(name),
    write: async (name: string, text: string) => {
      if (folder.operations-- <= 0) throw new Error("killed");
      files.set(name, text);
    },
    remove: async (name: string) => {
      if (folder.operations-- <= 0) throw new Error("killed");
      return files.delete(name);
    },
  };
  return folder;
}

describe("the accepted base", () => {
  it.each(Array.from({ length: MOST_OPERATIONS + 1 }, (_, operations) => ({ operations })))(
    "is the old or the new one, with a matching id, after a kill at step $operations",
    async ({ operations }) => {
      const files = new Map<string, string>();
      const folder = createMortalFolder(files);
      await writeBase(folder, before, undefined);
      folder.operations = operations;
      const outcome = await writeBase(folder, after, undefined).then(
        () => "written",
        () => "killed",
      );
      expect(outcome).toBe(operations < MOST_OPERATIONS ? "killed" : "written");

      const found = await readBase(folder, undefined);
      expect([before, after]).toContainEqual(found);
      expect([undefined, `${found?.snapshot.id}\n`]).toContain(files.get("ctx/base.sha"));
      folder.operations = MOST_OPERATIONS;
      await writeBase(folder, after, undefined);
      expect(files.get("ctx/base.sha")).toBe(`${after.snapshot.id}\n`);
    },
  );

  it("is read again when another process accepts between the two reads", async () => {
    const files = new Map<string, string>();
    const folder = createMortalFolder(files);
    await writeBase(folder, before, undefined);
    let hasAccepted = false;
    const read = async (
      name: string,
      signal: AbortSignal | undefined,
    ): Promise<string | undefined> => {
      const text = await folder.read(name, signal);
      if (!hasAccepted) {
        hasAccepted = true;
        await writeBase(folder, after, undefined);
      }
      return text;
    };
    expect(await readBase({ ...folder, read }, undefined)).toEqual(after);
  });

  it.each([
    { what: "is cut off", name: "ctx/base.json", damage: (text: string) => text.slice(0, -20) },
    {
      what: "has no counters",
      name: "ctx/base.json",
      damage: (text: string) => text.replace('"ver"', '"was"'),
    },
    {
      what: "counts below zero",
      name: "ctx/base.json",
      damage: (text: string) => text.replace('"A":1', '"A":-1'),
    },
    {
      what: "has a hash that differs from its id",
      name: "ctx/base.json",
      damage: (text: string) => text.replace("aa", "bb"),
    },
    { what: "is empty", name: "ctx/base.json", damage: () => "" },
    { what: "names another base", name: "ctx/base.sha", damage: () => "ctx@00000000\n" },
  ])("that $what is rejected as damaged, with the file's name", async ({ name, damage }) => {
    const files = new Map<string, string>();
    const folder = createMortalFolder(files);
    await writeBase(folder, before, undefined);
    files.set(name, damage(files.get(name) ?? ""));
    const error: unknown = await readBase(folder, undefined).catch((thrown: unknown) => thrown);
    expect(AliasesError.isInstance(error) && error.code).toBe("context_corrupt");
    expect(error).toHaveProperty("message", expect.stringContaining(`.ccl/${name}`));
  });
});
