import assert from "node:assert/strict";
import type { StoreItem } from "../artifact-store.ts";
import { inPieces, mebibyte, type Rule, rulesOf, someBytes, untyped } from "./bench.ts";
import { ruleOf, type Scenario } from "./scenario.ts";

const source = "tool:test";
const scenarios: Scenario[] = [
  ["the same bytes twice in a batch are one artifact and two handles", "[1:a 2:b 1~:c]", "0 1 2"],
  ["an empty batch stores nothing", "[]", ""],
];

/** Rules for storing several items at once. */
export const batchRules: Rule[] = [
  ...scenarios.map(ruleOf),
  ...rulesOf({
    async "a batch is kept whole, handles in the order of its items"(bench) {
      const contents = [10, mebibyte + 1, 0, 2_000].map((length) => someBytes(length, 40));
      const items = contents.map((content, index) => ({
        content: index % 2 ? inPieces(content, 999, 70_000) : content,
        source: `tool:${index}`,
        sessionId: "s",
      }));
      const handles = await bench.store.storeMany(items);
      for (const [index, content] of contents.entries()) {
        assert.equal(handles[index]?.source, `tool:${index}`);
        await bench.expectContent(handles[index]?.artifactId ?? "", content);
      }
      assert.deepEqual((await bench.store.listHandles()).handles, handles);
    },
    async "one bad item keeps the whole batch out"(bench) {
      const failing = async function* (): AsyncGenerator<Uint8Array, void> {
        yield someBytes(mebibyte + 1, 44);
        throw new Error("no more");
      };
      const bad: StoreItem[] = [
        { content: "x", source: "" },
        { content: untyped<string>(7), source },
        { content: "x", source, expectedId: "0".repeat(64) },
        { content: failing(), source },
      ];
      const large = someBytes(mebibyte + 2, 45);
      const [good, long, late] = ["good", large, "late"].map((content) => ({ content, source }));
      assert.ok(good && long && late);
      for (const item of bad) await assert.rejects(bench.store.storeMany([good, long, item, late]));
      await bench.expectEmpty("good", large, "late", "x");
    },
  }),
];
