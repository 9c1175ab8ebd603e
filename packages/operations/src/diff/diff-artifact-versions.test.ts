import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { diffArtifactVersions } from "./diff-artifact-versions.ts";
import type { OperationArtifact } from "../artifact/operation-artifact.ts";

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
        lines: [{ kind: "added", text: "one" }],
      },
    });
    expect(diffArtifactVersions(log, { from: 2, to: 1 })).toMatchObject({
      value: { lines: [{ kind: "same" }, { kind: "removed" }] },
    });
  });

  it("finds few edits in long values, and takes what differs everywhere as replaced", () => {
    const list = Array.from({ length: 10_000 }, (_, id) => `line ${id}`);
    const edits = (after: string[]): number => {
      const diff = diffArtifactVersions(artifact(after.join("\n"), [list.join("\n")]));
      return diff.ok ? diff.value.lines.filter(({ kind }) => kind !== "same").length : 0;
    };
    expect(edits([...list.slice(1), "another"])).toBe(2);
    expect(edits(list.map((line) => `${line}!`))).toBe(20_000);
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
          message: "art.world has no version 2; it has 3.",
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
