import { isDeepStrictEqual } from "node:util";

import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applyDelta } from "./__fixtures__/apply-delta.ts";
import { computeDelta } from "./compute-delta.ts";
import { renderDelta } from "./render-delta.ts";
import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

function snapshotOf(texts: Record<string, string | undefined>): Snapshot {
  const entries = Object.entries(texts).map(([alias, text]): [string, SnapshotEntry] => {
    const path = `files/${alias}.txt`;
    return [
      alias,
      text === undefined
        ? { path, sha256: sha256Hex("unknown") }
        : { path, sha256: sha256Hex(text), text },
    ];
  });
  const ordered = orderedByAlias(entries);
  return { id: snapshotId(ordered), entries: ordered };
}

const line = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "b",
    "# Heading",
    "key: value",
    "- item",
    "+x",
    "--- a",
    "@@ -1 +1 @@",
    "\\ No newline at end of file",
    "é\u2028",
    "🙂",
    "x\ry",
    "{",
  ),
  fc.string({ maxLength: 6 }),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\n", "\n", "\r\n", "")), { maxLength: 12 })
  .map((lines) => lines.flat().join(""));
const alias = fc.constantFrom(
  "H.main",
  "S.entities",
  "A.ADR1",
  "PR.default",
  "D.readme",
  "P.o",
  "T.t",
  "__proto__",
  "constructor",
);
const entry = fc
  .record({
    path: fc.constantFrom("a.md", "b.json", "c.yaml", "d.ts", "e.txt"),
    text,
    isKnown: fc.boolean(),
  })
  .map(({ path, text, isKnown }): SnapshotEntry => {
    const sha256 = sha256Hex(text.replaceAll("\r\n", "\n"));
    return isKnown ? { path, sha256, text } : { path, sha256 };
  });
const snapshot = fc.array(fc.tuple(alias, entry), { maxLength: 5 }).map((pairs): Snapshot => {
  const entries = orderedByAlias(new Map(pairs));
  return { id: snapshotId(entries), entries };
});

describe("computeDelta", () => {
  it("leads from any base to exactly the next state", async () => {
    await fc.assert(
      fc.asyncProperty(snapshot, snapshot, async (base, next) => {
        const delta = await computeDelta(base, next);
        expect(await applyDelta(base, delta)).toEqual(next);
        expect(delta.changes.length === 0).toBe(isDeepStrictEqual(base, next));
        const notes = delta.changes.flatMap((change) =>
          change.type === "changed" ? [change.notes.length] : [],
        );
        expect(notes.filter((count) => count < 1 || count > 12)).toEqual([]);
        const aliases = delta.changes.map((change) => change.alias);
        expect(aliases).toEqual([...new Set(aliases)].sort());
      }),
    );
  });

  it("keeps texts from adding lines to the delta's prompt", async () => {
    await fc.assert(
      fc.asyncProperty(snapshot, snapshot, async (base, next) => {
        const [first, second, ...changes] = renderDelta(await computeDelta(base, next), {
          action: "repair",
        }).split("\n");
        expect([first, second, changes.pop()]).toEqual([
          `BASE: ${base.id}`,
          "DELTA:",
          "ACTION: repair",
        ]);
        expect(changes.filter((line) => !line.startsWith("- "))).toEqual([]);
      }),
    );
  });

  it("contains the whole text if nearly all of it is new, and still leads to the next state", async () => {
    const base = snapshotOf({
      "H.main": Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join("\n"),
    });
    const next = snapshotOf({
      "H.main": Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join("\n"),
    });
    const delta = await computeDelta(base, next);
    expect(delta.changes).toMatchObject([
      { alias: "H.main", text: next.entries["H.main"]?.text, notes: ["rewritten, 4000 lines now"] },
    ]);
    expect(await applyDelta(base, delta)).toEqual(next);
  });
});
