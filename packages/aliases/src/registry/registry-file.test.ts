import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AliasesError } from "../aliases-error.ts";
import {
  changeRecord,
  emptyRegistry,
  normalizeInsidePath,
  parseRegistry,
  renderRegistry,
} from "./registry-file.ts";

const SHA256 = "0123456789abcdef".repeat(4);
const DOCUMENT = `{
  "S.entities":  {"path":"schemas/summarize_entities.json","sha":"a1b2c3d4"},
  "H.main":      {"path":"handlers/main.py","sha":"9f8e7d6c"},
  "PR.default":  {"path":"profiles/default.yaml","sha":"cafe1010"}
}
`;

function failureOf(text: string): AliasesError | undefined {
  try {
    parseRegistry(text, "aliases.json");
    return undefined;
  } catch (error) {
    if (AliasesError.isInstance(error)) return error;
    throw error;
  }
}

const outcomeOf = (text: string): string => failureOf(text)?.code ?? "read";

describe("parseRegistry", () => {
  it("reads the document's format", () => {
    const { records } = parseRegistry(DOCUMENT, "aliases.json");
    expect(
      [...records].map(([alias, { path, sha8, sha256 }]) => [alias, path, sha8, sha256]),
    ).toEqual([
      ["S.entities", "schemas/summarize_entities.json", "a1b2c3d4", undefined],
      ["H.main", "handlers/main.py", "9f8e7d6c", undefined],
      ["PR.default", "profiles/default.yaml", "cafe1010", undefined],
    ]);
  });

  it("ignores a full hash that no longer matches another tool's new short one", () => {
    const text = JSON.stringify({ "H.a": { path: "a", sha: "ffffffff", sha256: SHA256 } });
    expect(parseRegistry(text, "f").records.get("H.a")).toMatchObject({ sha8: "ffffffff" });
    expect(parseRegistry(text, "f").records.get("H.a")?.sha256).toBeUndefined();
  });

  it("reads paths that were written on Windows", () => {
    const text = JSON.stringify({ "H.a": { path: "src\\a.ts", sha: "ffffffff" } });
    expect(parseRegistry(text, "f").records.get("H.a")?.path).toBe("src/a.ts");
  });

  it.each([
    ["an empty file", "", "not JSON"],
    ["half a file", DOCUMENT.slice(0, 90), "not JSON"],
    ["a broken line", DOCUMENT.replace('"handlers/main.py"', "handlers"), "line 3"],
    ["a list", "[]", "not a JSON object"],
    ["null", "null", "not a JSON object"],
    [
      "a name that is not an alias",
      '{"main":{"path":"a","sha":"ffffffff"}}',
      '"main" is not an alias',
    ],
    ["a reference as a name", '{"H.a@ffffffff":{"path":"a","sha":"ffffffff"}}', "is not an alias"],
    [
      "__proto__ as a name",
      '{"__proto__":{"path":"a","sha":"ffffffff"}}',
      '"__proto__" is not an alias',
    ],
    ["a text in place of a record", '{"H.a":"a"}', "H.a is not an object"],
    ["no path", '{"H.a":{"sha":"ffffffff"}}', '"path" of H.a'],
    ["an inherited path", '{"H.a":{"__proto__":{"path":"a"},"sha":"ffffffff"}}', '"path" of H.a'],
    ["an absolute path", '{"H.a":{"path":"/etc/passwd","sha":"ffffffff"}}', '"path" of H.a'],
    ["a path that leads out", '{"H.a":{"path":"a/../../b","sha":"ffffffff"}}', '"path" of H.a'],
    ["a drive", '{"H.a":{"path":"C:\\\\b","sha":"ffffffff"}}', '"path" of H.a'],
    ["no sha", '{"H.a":{"path":"a"}}', '"sha" of H.a'],
    ["a sha of 7 digits", '{"H.a":{"path":"a","sha":"fffffff"}}', '"sha" of H.a'],
    ["a sha that is not hex", '{"H.a":{"path":"a","sha":"ggggggg1"}}', '"sha" of H.a'],
    ["a short sha256", '{"H.a":{"path":"a","sha":"ffffffff","sha256":"ff"}}', '"sha256" of H.a'],
    ["a version of an odd type", '{"version":[2]}', '"version" is not a version number'],
  ])("explains what is wrong with %s", (_, text, what) => {
    const error = failureOf(text);
    expect(error?.code).toBe("registry_corrupt");
    expect(error?.message).toContain(what);
  });

  it.each([["version"], ["$version"], ["schemaVersion"]])("rejects a newer %s", (key) => {
    const error = failureOf(JSON.stringify({ [key]: 2 }));
    expect(error?.code).toBe("registry_version_unsupported");
    expect(error?.message).toContain(`"${key}" "2"`);
  });

  it("throws only AliasesError for any text", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.nat(DOCUMENT.length).map((end) => DOCUMENT.slice(0, end)),
    );
    fc.assert(
      fc.property(text, (content) => {
        expect(outcomeOf(content)).toMatch(
          /^(?:read|registry_corrupt|registry_version_unsupported)$/,
        );
      }),
    );
  });
});

describe("renderRegistry", () => {
  const tree = JSON.stringify(JSON.parse(DOCUMENT), null, 4);
  it.each([
    ["the document's lines", DOCUMENT],
    ["four spaces without a line end", tree],
    ["tabs", `${JSON.stringify(JSON.parse(DOCUMENT), null, "\t")}\n`],
    ["one line", JSON.stringify(JSON.parse(DOCUMENT))],
    ["CRLF", DOCUMENT.replaceAll("\n", "\r\n")],
    ["a byte order mark", `\uFEFF${DOCUMENT}`],
    ["a version", '{\n  "version": 1,\n  "H.a": {"path":"a","sha":"ffffffff"}\n}\n'],
    ["nothing", "{}\n"],
  ])("writes back the same text: %s", (_, text) => {
    expect(renderRegistry(parseRegistry(text, "f"))).toBe(text);
  });

  it("changes one line and keeps unknown keys, order and alignment", () => {
    const text = DOCUMENT.replace('"sha":"9f8e7d6c"', '"sha":"9f8e7d6c","note":{"by":"AdaOS"}');
    const document = parseRegistry(text, "f");
    const record = changeRecord(document.records.get("H.main"), {
      path: "handlers/main.py",
      sha256: SHA256,
    });
    const records = new Map(document.records).set("H.main", record).set("A.new", record);
    expect(renderRegistry({ ...document, records })).toMatchInlineSnapshot(`
      "{
        "S.entities":  {"path":"schemas/summarize_entities.json","sha":"a1b2c3d4"},
        "H.main": {"path":"handlers/main.py","sha":"01234567","note":{"by":"AdaOS"},"sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
        "PR.default":  {"path":"profiles/default.yaml","sha":"cafe1010"},
        "A.new": {"path":"handlers/main.py","sha":"01234567","note":{"by":"AdaOS"},"sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
      }
      "
    `);
  });

  it("keeps a sorted file sorted", () => {
    const record = changeRecord(undefined, { path: "a", sha256: SHA256 });
    const document = { ...emptyRegistry(), records: new Map([["H.b", record]]) };
    const again = parseRegistry(renderRegistry(document), "f");
    const text = renderRegistry({ ...again, records: new Map(again.records).set("H.a", record) });
    expect(Object.keys(JSON.parse(text))).toEqual(["H.a", "H.b"]);
  });

  it("keeps every record, whatever its keys", () => {
    const record = fc.tuple(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.stringMatching(/^[0-9a-f]{8}$/),
    );
    const file = fc.dictionary(
      fc.stringMatching(/^[A-Z]{1,3}\.[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}$/),
      record.map(([extra, sha]) => ({ ...extra, path: "a/b.ts", sha, sha256: undefined })),
    );
    fc.assert(
      fc.property(file, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(renderRegistry(parseRegistry(text, "f"))).toBe(text);
      }),
    );
  });
});

describe("normalizeInsidePath", () => {
  it.each([
    ["a/b.ts", "a/b.ts"],
    ["./a//b.ts", "a/b.ts"],
    ["a/x/../b.ts", "a/b.ts"],
    ["..a", "..a"],
    ["", undefined],
    [".", undefined],
    ["..", undefined],
    ["../a", undefined],
    ["a/../..", undefined],
    ["/a", undefined],
    ["a/", undefined],
    ["a\0b", undefined],
    ["..\\a", undefined],
    ["c:a", undefined],
  ])("%j becomes %j", (path, normalized) => {
    expect(normalizeInsidePath(path)).toBe(normalized);
  });

  it("never returns a path that leads out", () => {
    const hostile = fc
      .array(fc.constantFrom("..", ".", "a", "/", "\\", "C:", "\0", "~", "//"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, (path) => {
        const inside = normalizeInsidePath(path);
        expect(inside?.split("/") ?? []).not.toContain("..");
        expect(inside?.startsWith("/") ?? false).toBe(false);
      }),
    );
  });
});
