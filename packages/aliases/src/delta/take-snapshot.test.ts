import { failure, sha256Hex, success, type Result } from "@ccl/core";
import { describe, expect, it } from "vitest";

import type { AliasContent, AliasRegistry } from "../registry/alias-registry.ts";
import { takeSnapshot } from "./take-snapshot.ts";

const texts: Record<string, string | undefined> = {
  "H.main": "print()\n",
  "D.readme": "# A\n",
  "D.logo": undefined,
};

/** A registry of the files above, with one alias whose file is gone. */
const registry: AliasRegistry = {
  root: "/project",
  directory: ".ccl",
  isPersistent: false,
  cache: { get: () => undefined, set: () => undefined, flush: () => Promise.resolve() },
  add: () => Promise.reject(new Error("not used")),
  remove: () => Promise.resolve(false),
  list: () =>
    [...Object.keys(texts), "H.gone"].map((alias) => ({
      alias,
      path: `${alias}.txt`,
      sha8: "00000000",
    })),
  resolve: (alias) => Promise.resolve(resolve(alias)),
  stat: async () =>
    registry.list().map(({ alias, path }) => {
      const found = resolve(alias);
      const sha256 = found.ok ? found.value.sha256 : undefined;
      return { alias, path, sha256, isBinary: texts[alias] === undefined };
    }),
  verify: () => Promise.reject(new Error("not used")),
  scan: () => Promise.reject(new Error("not used")),
  close: () => Promise.resolve(),
};

function resolve(alias: string): Result<AliasContent> {
  if (!Object.hasOwn(texts, alias))
    return failure({ code: "path_not_found", path: [], message: alias });
  const text = texts[alias];
  const sha256 = sha256Hex(text ?? "");
  return success({
    alias,
    path: `${alias}.txt`,
    sha8: sha256.slice(0, 8),
    sha256,
    text,
    sizeBytes: text?.length ?? 0,
  });
}

describe("takeSnapshot", () => {
  it("keeps every text but those of binary files, in the order of the aliases, and leaves out files that are gone", async () => {
    const { id, entries } = await takeSnapshot({ registry });
    expect(id).toMatch(/^ctx@[0-9a-f]{8}$/);
    expect(Object.keys(entries)).toEqual(["D.logo", "D.readme", "H.main"]);
    expect(entries["H.main"]).toEqual({
      path: "H.main.txt",
      sha256: sha256Hex("print()\n"),
      text: "print()\n",
    });
    expect(entries["D.logo"]).toEqual({ path: "D.logo.txt", sha256: sha256Hex("") });
  });

  it("has the same id whatever texts are kept", async () => {
    const all = await takeSnapshot({ registry });
    const none = await takeSnapshot({ registry, texts: [] });
    const some = await takeSnapshot({ registry, texts: ["H.main"] });
    expect(new Set([all.id, none.id, some.id]).size).toBe(1);
    expect(Object.values(none.entries).filter((entry) => "text" in entry)).toEqual([]);
    expect(Object.values(some.entries).filter((entry) => "text" in entry)).toHaveLength(1);
  });

  it("stops when aborted", async () => {
    await expect(takeSnapshot({ registry, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
