import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionStoreConformance } from "../conformance/index.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { openJsonlSessionStore } from "./open-jsonl-session-store.ts";

let root = "";
const folders = new WeakMap<SessionStore, string>();
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-sessions-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function openIn(folder: string): Promise<SessionStore> {
  const store = await openJsonlSessionStore({ folder, durability: "off" });
  folders.set(store, folder);
  return store;
}
const folderOf = (store: SessionStore): string => folders.get(store) ?? "";

describe("openJsonlSessionStore", () => {
  const rules = sessionStoreConformance({
    open: async () => openIn(await mkdtemp(join(root, "store-"))),
    async reopen(store) {
      await store.close();
      return openIn(folderOf(store));
    },
    openSecond: (store) => openIn(folderOf(store)),
    async damage(store, sessionId) {
      const path = join(folderOf(store), `${sessionId}.jsonl`);
      await writeFile(path, (await readFile(path, "utf8")).replace('"tokens":0', '"tokens":9'));
    },
  });
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it("tells of a state that a crash has emptied, and keeps the next one", async () => {
    const store = await openIn(await mkdtemp(join(root, "store-")));
    await store.saveState("s", { key: "a", json: "1" });
    await writeFile(join(folderOf(store), "s.state.json"), "");
    await expect(store.loadState("s", "a")).rejects.toMatchObject({ code: "store_damaged" });
    await store.saveState("s", { key: "b", json: "2" });
    expect([await store.loadState("s", "a"), await store.loadState("s", "b")]).toEqual([
      undefined,
      "2",
    ]);
    await store.close();
  });

  it("leaves no lock behind when it is closed", async () => {
    const folder = await mkdtemp(join(root, "store-"));
    const store = await openIn(folder);
    await store.saveState("s", { key: "a", json: "1" });
    expect(await readdir(join(folder, "locks"))).toEqual(["s.lock"]);
    await store.close();
    expect(await readdir(join(folder, "locks"))).toEqual([]);
  });
});
