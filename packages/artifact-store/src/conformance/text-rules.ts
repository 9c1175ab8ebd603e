import assert from "node:assert/strict";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactHandle, StoreOptions } from "../artifact-store.ts";
import { type Bench, listAll, type Rule, rulesOf } from "./bench.ts";

const source = "tool:test";
const hostileTexts = [
  "'; DROP TABLE handles; --",
  '"quoted" \\ back\\slash',
  "%_*?[a]",
  "../../etc/passwd",
  "C:\\aux.txt:stream",
  "a/b/c",
  "Straße Ａ \u{1f600}",
  "e\u0301",
  "\u00e9",
  " spaces ",
  "a\u0000b",
  "line\nbreak",
  "\u202eright to left",
  "\ud800",
  "x".repeat(512),
  "x".repeat(100_000),
  "\u{1f600}".repeat(256),
  "__proto__",
  "",
];

/** Rules for strings that a backend might mistake for its own syntax, or for one another. */
export const textRules: Rule[] = rulesOf({
  async "hostile sources, sessions and types come back as they were or are refused"(bench) {
    for (const text of hostileTexts) {
      await keepsOrRefuses(bench, { source: text });
      await keepsOrRefuses(bench, { source, sessionId: text });
      await keepsOrRefuses(bench, { source, mimeType: text });
    }
  },
  async "sessions and sources that only look alike are different"({ store }) {
    const alike = ["e\u0301", "\u00e9", "E\u0301", "a%", "ab", "a_", "A%", "a% ", "a"];
    const handles: ArtifactHandle[] = [];
    for (const text of alike)
      handles.push(await store.store(text, { source: text, sessionId: text }));
    for (const handle of handles) {
      const { source, sessionId } = handle;
      assert.deepEqual(await listAll(store, { sessionId }), [handle]);
      assert.deepEqual(await listAll(store, { source }), [handle]);
    }
  },
});

async function keepsOrRefuses({ store }: Bench, options: StoreOptions): Promise<void> {
  try {
    const handle = await store.store("hostile", options);
    assert.deepEqual({ ...handle, ...options }, handle, "it came back changed");
    const { artifactId, handleId, source, sessionId } = handle;
    assert.deepEqual(await store.getHandles(artifactId), [handle]);
    assert.deepEqual(await listAll(store, { source, sessionId }), [handle]);
    assert.equal(await store.delete(artifactId, { handleId }), true);
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code !== "invalid_input") throw error;
  }
}
