import { describe, expect, it } from "vitest";

import { createKeyValueArtifactStore } from "../index.ts";
import type { TextDatabase } from "./bytes-in-texts.ts";

/** A sorted map that gives fewer entries than were asked for. */
function openTexts(texts = new Map<string, string>()): TextDatabase & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    async get(keys) {
      reads.push(...keys);
      return keys.map((key) => texts.get(key));
    },
    async list({ from, before }) {
      const keys = [...texts.keys()].filter((key) => key >= from && key < before).sort();
      reads.push(...keys);
      return keys.slice(0, 2).map((key) => [key, texts.get(key) ?? ""] as const);
    },
    async commit({ writes }) {
      for (const [key, text] of writes) {
        if (text === undefined) texts.delete(key);
        else texts.set(key, text);
      }
      return true;
    },
  };
}

describe("artifacts in a database of texts", () => {
  it("come back whole and in part, each handle once", async () => {
    const store = createKeyValueArtifactStore({ keyValue: openTexts() });
    const content = new Uint8Array(1024 * 1024 + 9).map((_, at) => at);
    const items = [content, "a", "b", "c"].map((each) => ({ content: each, source: "tool:test" }));
    const handles = await store.storeMany(items);
    const artifactId = handles[0]?.artifactId ?? "";
    const range = { start: 1024 * 1024 - 1 };
    expect(await store.retrieve(artifactId, { range })).toEqual(content.slice(range.start));
    expect((await store.listHandles()).handles).toEqual(handles);
    expect(await store.verify()).toEqual({ checked: 4, damaged: [], missing: [] });
  });

  it("lists keys without reading bytes, and leaves what else is there alone", async () => {
    const texts = new Map([["r name", "a record"]]);
    const database = openTexts(texts);
    const store = createKeyValueArtifactStore({ keyValue: database });
    const { artifactId } = await store.store("kept", { source: "tool:test" });
    database.reads.length = 0;
    await store.delete(artifactId);
    await store.collectGarbage({ graceMs: 0 });
    expect(database.reads.filter((key) => key.startsWith("artifact-bytes/data/"))).toEqual([]);
    expect([...texts]).toEqual([["r name", "a record"]]);
  });
});
