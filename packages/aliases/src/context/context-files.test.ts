import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AliasesError, type AliasesErrorCode } from "../aliases-error.ts";
import type { PackEntry } from "../pack/pack.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { openAliasRegistry } from "../registry/open-alias-registry.ts";
import { createContextFiles } from "./context-files.ts";

let root: string;
let registry: AliasRegistry;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl context ж-"));
  await writeFile(join(root, "main.ts"), "export const answer = 42;\n");
  await writeFile(join(root, "README.md"), "# Answers\n");
  registry = await openAliasRegistry({ root });
  await registry.scan();
});

afterEach(async () => {
  await registry.close();
  await rm(root, { recursive: true });
});

async function showing(level: PackEntry["level"]): Promise<{ entries: PackEntry[] }> {
  const content = await registry.resolve("H.main");
  if (!content.ok) throw new Error(content.issues[0]?.message);
  const { alias, path, sha8 } = content.value;
  const ranked = { rank: 1, score: 1, matched: [], reason: "words" as const, parts: {} };
  return { entries: [{ ...ranked, alias, path, sha8, level, tokens: 10, isCut: false }] };
}

async function codeOf(call: Promise<unknown>): Promise<AliasesErrorCode | undefined> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  return AliasesError.isInstance(error) ? error.code : undefined;
}

const read = (name: string): Promise<string> => readFile(join(root, ".ccl", name), "utf8");

describe("context files", () => {
  it("have no base before the first pack is accepted", async () => {
    expect(await createContextFiles(registry).readBase()).toBeUndefined();
  });

  it("keep hashes of all files and the texts of those that the accepted pack showed", async () => {
    const base = await createContextFiles(registry).accept(await showing("signatures"));
    expect(base.version).toEqual({ accepted: 1, deltas: 0, repairs: 0 });
    expect(base.snapshot.entries).toMatchObject({
      "D.readme": { path: "README.md" },
      "H.main": { path: "main.ts", text: "export const answer = 42;\n" },
    });
    expect(base.snapshot.entries["D.readme"]).not.toHaveProperty("text");
    expect(await read("ctx/base.sha")).toMatch(/^ctx@[0-9a-f]{8}\n$/);
    expect(await createContextFiles(registry).readBase()).toEqual(base);
  });

  it("keep no text of a file that the pack only names", async () => {
    const base = await createContextFiles(registry).accept(await showing("reference"));
    expect(base.snapshot.entries["H.main"]).not.toHaveProperty("text");
  });

  it("count deltas and repairs since the base, each patch once, and start again with the next base", async () => {
    const files = createContextFiles(registry);
    await files.accept(await showing("full"));
    expect(await files.writeDelta("# one\n")).toBe(".ccl/ctx/delta.patch");
    await files.writeDelta("# one\n");
    await files.writeDelta("# two\n");
    await files.countRepair();
    expect((await files.readBase())?.version).toEqual({ accepted: 1, deltas: 2, repairs: 1 });
    expect(await read("ctx/delta.patch")).toBe("# two\n");
    await files.accept(await showing("full"));
    expect((await files.readBase())?.version).toEqual({ accepted: 2, deltas: 0, repairs: 0 });
  });

  it("keep the old base when a file changed between the pack and its acceptance", async () => {
    const files = createContextFiles(registry);
    const base = await files.accept(await showing("full"));
    const pack = await showing("full");
    await writeFile(join(root, "main.ts"), "export const answer = 43;\n");
    expect(await codeOf(files.accept(pack))).toBe("context_conflict");
    expect(await files.readBase()).toEqual(base);
  });

  it("are written by several callers at once without losing a count", async () => {
    const pack = await showing("full");
    await Promise.all(Array.from({ length: 5 }, () => createContextFiles(registry).accept(pack)));
    expect((await createContextFiles(registry).readBase())?.version.accepted).toBe(5);
  });

  it("write the pack and cards under the aliases' names, and remove cards", async () => {
    const files = createContextFiles(registry);
    expect(await files.writePack({ text: "[CONTEXT]\n" })).toBe(".ccl/prompt.pack");
    expect(await files.writeCard("H.main", { text: "- const answer" })).toBe(
      ".ccl/cards/H.main.md",
    );
    expect(await read("prompt.pack")).toBe("[CONTEXT]\n");
    expect(await read("cards/H.main.md")).toBe("- const answer\n");
    expect(await files.removeCard("H.main")).toBe(true);
    expect(await files.removeCard("H.main")).toBe(false);
    expect(await codeOf(files.writeCard("../../outside", { text: "- no" }))).toBe("io_failed");
  });

  it("never leave the root through a link", async () => {
    const outside = await mkdtemp(join(tmpdir(), "ccl-outside-"));
    await symlink(outside, join(root, ".ccl", "cards"), "junction");
    expect(await codeOf(createContextFiles(registry).writeCard("H.main", { text: "- no" }))).toBe(
      "io_failed",
    );
    expect(await readdir(outside)).toEqual([]);
    await rm(outside, { recursive: true });
  });

  it("write nothing for a registry that does not persist", async () => {
    await mkdir(join(root, "plain"));
    const silent = await openAliasRegistry({ root: join(root, "plain"), persist: false });
    const files = createContextFiles(silent);
    for (const call of [
      files.writePack({ text: "" }),
      files.accept({ entries: [] }),
      files.removeCard("H.main"),
    ]) {
      expect(await codeOf(call)).toBe("io_failed");
    }
    expect(await readdir(join(root, "plain"))).toEqual([]);
  });

  it("stop before writing when the signal is aborted", async () => {
    const signal = AbortSignal.abort();
    expect(await codeOf(createContextFiles(registry).writePack({ text: "" }, { signal }))).toBe(
      "aborted",
    );
    await expect(read("prompt.pack")).rejects.toThrow("ENOENT");
  });
});
