import fc from "fast-check";
import { applyPatch } from "rfc6902";
import { describe, expect, it, test } from "vitest";

import { diffArtifactVersions } from "./diff-artifact-versions.ts";
import { jsonPatch } from "./json-patch.ts";
import type { OperationArtifact } from "../artifact/operation-artifact.ts";

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What an independent implementation makes of the patch. */
function patched(before: unknown, after: unknown): unknown {
  const held = { value: copy(before) };
  const patch = jsonPatch(before, after);
  for (const step of patch) step.path = `/value${step.path}`;
  expect(applyPatch(held, patch).filter((error) => error !== null)).toEqual([]);
  return held.value;
}

describe("jsonPatch", () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ["equal values, whatever the order of fields", { a: 1, b: [] }, { b: [], a: 1 }, []],
    ["another kind of value", [], {}, [{ op: "replace", path: "", value: {} }]],
    [
      "a field of a field",
      { hero: { hp: 5, mp: 1 } },
      { hero: { hp: 3, mp: 1 } },
      [{ op: "replace", path: "/hero/hp", value: 3 }],
    ],
    [
      "names with slashes and tildes",
      { "a/b": 1 },
      { "~c": 1 },
      [
        { op: "remove", path: "/a~1b" },
        { op: "add", path: "/~0c", value: 1 },
      ],
    ],
    [
      "an item that goes at the front",
      [{ id: 1 }, { id: 2 }, { id: 3 }],
      [{ id: 2 }, { id: 3 }],
      [{ op: "remove", path: "/0" }],
    ],
    [
      "an item that has changed inside",
      [{ id: 1, n: 0 }, { id: 2 }],
      [{ id: 1, n: 9 }, { id: 2 }],
      [{ op: "replace", path: "/0/n", value: 9 }],
    ],
    ["null, which is a value", { a: null }, {}, [{ op: "remove", path: "/a" }]],
  ])("says what has changed: %s", (_name, before, after, patch) => {
    expect(jsonPatch(before, after)).toEqual(patch);
    expect(patched(before, after)).toEqual(after);
  });

  it("turns any value into any other, as another implementation applies it", () => {
    const { value } = fc.letrec<{
      value: unknown;
      list: unknown[];
      record: Record<string, unknown>;
    }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<unknown>(0, 1, "", "a", null, true),
        tie("list"),
        tie("record"),
      ),
      list: fc.array(tie("value"), { maxLength: 6 }),
      record: fc.dictionary(fc.constantFrom("a", "b", "c/d", "~", "", "0"), tie("value"), {
        maxKeys: 4,
      }),
    }));
    const changes = fc.property(value, value, (before, after) => {
      expect(patched(before, after)).toEqual(copy(after));
    });
    fc.assert(changes, { numRuns: 2_000 });
  });

  it("finds few edits in long lists, and takes what differs everywhere as a whole", () => {
    const list = Array.from({ length: 10_000 }, (_, id) => ({ id }));
    const shifted = [...list.slice(1), { id: -1 }];
    expect(jsonPatch(list, shifted)).toEqual([
      { op: "remove", path: "/0" },
      { op: "add", path: "/9999", value: { id: -1 } },
    ]);
    const others = list.map(({ id }) => ({ id: id + 20_000 }));
    expect(patched(list, others)).toEqual(others);
  });
});

function artifact(value: unknown, former: unknown[] = []): OperationArtifact {
  const version = former.length + 1;
  return {
    tag: "world",
    persisted: true,
    usage: "prompt+ui",
    semantics: "state",
    version,
    runId: "run",
    writtenAt: 0,
    value,
    parentVersion: version > 1 ? version - 1 : undefined,
    history: former.map((item, index) => ({
      version: index + 1,
      runId: "run",
      writtenAt: 0,
      value: item,
    })),
  };
}

describe("diffArtifactVersions", () => {
  it("compares with the version that the value was made from", () => {
    const diff = diffArtifactVersions(
      artifact({ hp: 3, foes: ["wolf"] }, [{ hp: 5, foes: ["wolf"] }]),
    );
    expect(diff).toEqual({
      ok: true,
      value: {
        tag: "world",
        from: 1,
        to: 2,
        patch: [{ op: "replace", path: "/hp", value: 3 }],
        lines: [
          { kind: "same", text: "{" },
          { kind: "removed", text: '  "hp": 5,' },
          { kind: "added", text: '  "hp": 3,' },
          { kind: "same", text: '  "foes": [' },
          { kind: "same", text: '    "wolf"' },
          { kind: "same", text: "  ]" },
          { kind: "same", text: "}" },
        ],
      },
    });
  });

  it("compares texts by their lines, and a first version with nothing", () => {
    const log = artifact("one\ntwo", ["one"]);
    expect(diffArtifactVersions(log)).toMatchObject({
      value: {
        lines: [
          { kind: "same", text: "one" },
          { kind: "added", text: "two" },
        ],
      },
    });
    expect(diffArtifactVersions(log, { to: 1 })).toMatchObject({
      value: {
        from: 0,
        to: 1,
        patch: [{ op: "add", path: "", value: "one" }],
        lines: [{ kind: "added", text: "one" }],
      },
    });
    expect(diffArtifactVersions(log, { from: 2, to: 1 })).toMatchObject({
      value: { lines: [{ kind: "same" }, { kind: "removed" }] },
    });
  });

  it("says which versions there are where it is asked for another", () => {
    const { history: _history, ...rest } = artifact("now", ["a", "b"]);
    const forgetful = { ...rest, history: [] };
    expect(diffArtifactVersions(forgetful)).toEqual({
      ok: false,
      issues: [
        {
          code: "unknown_version",
          path: ["from"],
          message: "art.world does not hold version 2; it holds 3.",
        },
      ],
    });
    expect(diffArtifactVersions(forgetful, { to: 7 })).toMatchObject({
      ok: false,
      issues: [{ path: ["to"] }],
    });
    expect(diffArtifactVersions(forgetful, { from: 0 })).toMatchObject({ ok: true });
  });
});

test("lines of both versions come in their order", () => {
  const words = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 })
    .map((lines) => lines.join("\n"));
  const inOrder = fc.property(words, words, (before, after) => {
    const diff = diffArtifactVersions(artifact(after, [before]));
    const lines = diff.ok ? diff.value.lines : [];
    const without = (kind: string): string =>
      lines
        .filter((line) => line.kind !== kind)
        .map(({ text }) => text)
        .join("\n");
    expect([without("added"), without("removed")]).toEqual([before, after]);
  });
  fc.assert(inOrder, { numRuns: 1_000 });
});
