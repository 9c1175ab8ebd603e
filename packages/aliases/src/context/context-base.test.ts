import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { orderedByAlias, snapshotId } from "../delta/snapshot-id.ts";
import type { Snapshot } from "../delta/snapshot.ts";
import { parseContextBase, renderContextBase } from "./context-base.ts";

const version = { accepted: 1, deltas: 2, repairs: 3 };
const sha256 = sha256Hex("");

function snapshotOf(texts: readonly (readonly [string, string | undefined])[]): Snapshot {
  const entries = orderedByAlias(
    texts.map(([alias, text]) => {
      const path = `files/${alias}.txt`;
      const entry = { path, sha256: sha256Hex(text ?? "unknown") };
      return [alias, text === undefined ? entry : { ...entry, text }] as const;
    }),
  );
  return { id: snapshotId(entries), entries };
}

describe("parseContextBase", () => {
  it("reads back what renderContextBase wrote", () => {
    const texts = fc.array(fc.tuple(fc.string(), fc.option(fc.string(), { nil: undefined })));
    fc.assert(
      fc.property(texts, (texts) => {
        const base = { snapshot: snapshotOf(texts), version };
        expect(parseContextBase(renderContextBase(base), "base.json")).toEqual(base);
      }),
    );
  });

  it.each([
    ["text that is not JSON", "{", /it is not JSON/],
    ["no entries", '{"id": "ctx@00000000"}', /no object of entries/],
    ["a list", "[]", /no object of entries/],
    [
      "entries of a wrong shape",
      `{"id": "x", "entries": {"a": 1, "b": {"path": "", "sha256": "${sha256}"}, "c": {"path": "c", "sha256": "1"}, "d": {"path": "d", "sha256": "${sha256}", "text": 1}}}`,
      /^base\.json is damaged:(?: The entry of "[abcd]" needs [^.]+\.?){4} Restore/,
    ],
    [
      "an id that does not match its entries",
      `{"id": "ctx@00000000", "entries": {"a": {"path": "a", "sha256": "${sha256}"}}}`,
      /says that it is "ctx@00000000", but its entries make ctx@/,
    ],
  ])("rejects %s", (_, snapshot, message) => {
    const text = `{"ver":{"A":1,"B":2,"C":3},"snapshot":${snapshot}}`;
    expect(() => parseContextBase(text, "base.json")).toThrow(message);
  });

  it("treats an alias named __proto__ like any other", () => {
    const text = renderContextBase({ snapshot: snapshotOf([["__proto__", "text"]]), version });
    const { snapshot } = parseContextBase(text, "base.json");
    expect(Object.keys(snapshot.entries)).toEqual(["__proto__"]);
    expect(text).toContain('"__proto__"');
  });
});
