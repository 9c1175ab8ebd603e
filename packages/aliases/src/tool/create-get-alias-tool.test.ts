import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import type { Result, TokenCounter } from "@ccl/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { AliasRegistry, GetAliasInput, GetAliasOutput } from "../registry/alias-registry.ts";
import { openAliasRegistry } from "../registry/open-alias-registry.ts";
import { createGetAliasTool, type GetAliasToolOptions } from "./create-get-alias-tool.ts";

const FILES: Record<string, string> = {
  "ten.txt": Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(""),
  "crlf.txt": "a\r\nb",
  "empty.txt": "",
  "giant.txt": `${"😀".repeat(5000)}\nlast\n`,
  "vocabulary.txt": "latency_ms: API_KEY=not-redacted\n",
  "binary.bin": "\0",
  "reel.c":
    "/* Winds as wind() does. */\nint turns(int n)\n{\n#ifdef FAST\n    if (n) goto out;\n#endif\nout:\n    return n;\n}\n\nstatic int wind(int a,\n                int b)\n{\n    return a;\n}\n#define END 1\n",
  "deep/tape.ts":
    "const speed = 1;\n\n/** Back. */\nfunction rewind(): number {\n  return -speed;\n}\n\nexport const other = 2;\n",
};

const perCharacter: TokenCounter = {
  name: "per character",
  isExact: true,
  count: (text) => text.length,
};

let root = "";
let registry: AliasRegistry;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "ccl-tool-"));
  registry = await openAliasRegistry({ root, persist: false });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    await registry.add(`D.${basename(path).split(".")[0]}`, path);
  }
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** Accepts any input, because a model's input need not match the type. */
async function call(
  input: unknown,
  options?: GetAliasToolOptions,
): Promise<Result<GetAliasOutput>> {
  const tool = createGetAliasTool(registry, options);
  return Reflect.apply(tool.execute, tool, [input, {}]);
}

async function valueOf(
  input: GetAliasInput,
  options?: GetAliasToolOptions,
): Promise<GetAliasOutput> {
  const result = await call(input, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

async function issuesOf(input: unknown, options?: GetAliasToolOptions): Promise<string[]> {
  const result = await call(input, options);
  return result.ok ? [] : result.issues.map(({ code, message }) => `${code}: ${message}`);
}

describe("get_alias", () => {
  it.each(["deep/tape.ts", "./deep/tape.ts", "tape.ts", "D.tape"])(
    "finds a file by %j",
    async (name) => {
      expect(await valueOf({ alias: name })).toMatchObject({ path: "deep/tape.ts", firstLine: 1 });
    },
  );

  it("returns a declaration by path#name, with the comment above", async () => {
    expect((await valueOf({ alias: "deep/tape.ts#rewind" })).text).toBe(
      "/** Back. */\nfunction rewind(): number {\n  return -speed;\n}\n",
    );
    expect(await issuesOf({ alias: "tape.ts#play" })).toEqual([
      'symbol_unknown: deep/tape.ts declares no "play".',
    ]);
  });

  it("returns a declaration to its end, whatever stands at the margin", async () => {
    const range = async (alias: string): Promise<number[]> => {
      const { firstLine, lastLine } = await valueOf({ alias });
      return [firstLine, lastLine];
    };
    expect(await range("reel.c#turns")).toEqual([1, 9]);
    expect(await range("reel.c#wind")).toEqual([11, 15]);
  });

  it("returns several files at once, and reports unknown ones", async () => {
    const value = await valueOf({ alias: ["D.ten", "tape.ts#rewind", "D.none"] });
    expect(value).toMatchObject({
      alias: "D.ten",
      others: [{ path: "deep/tape.ts", firstLine: 3, lastLine: 6 }],
      issues: [{ code: "alias_unknown" }],
    });
    const bounded = await valueOf(
      { alias: ["D.ten", "D.giant"] },
      { maxTokens: 400, counter: perCharacter },
    );
    const sizes = [bounded, ...(bounded.others ?? [])].map(({ text }) => text.length);
    expect(sizes.every((size) => size <= 200)).toBe(true);
    expect(await issuesOf({ alias: ["D.ten", "D.crlf"], lines: "1" })).toHaveLength(1);
    expect(await issuesOf({ alias: ["D.none", "D.nil"] })).toHaveLength(2);
    expect(await issuesOf({ alias: Array.from({ length: 11 }, () => "D.ten") })).toHaveLength(1);
  });

  it("finds places by words", async () => {
    expect(await valueOf({ search: "rewind the tape" })).toMatchObject({
      path: "deep/tape.ts",
      text: expect.stringContaining("function rewind"),
    });
    expect(await issuesOf({ search: "zibble" })).toEqual([
      'search_unmatched: No file has any word of "zibble".',
    ]);
    expect(await issuesOf({ search: "rewind", alias: "D.ten" })).toHaveLength(1);
    expect(await issuesOf({ search: 5 })).toHaveLength(1);
  });

  it("suggests paths by their segments", async () => {
    for (const wrong of ["lib/deep/tape.ts", "src/tape.js", "deep/tpae.ts"])
      expect(await issuesOf({ alias: wrong })).toEqual([
        `alias_unknown: There is no file "${wrong}". Nearest: deep/tape.ts.`,
      ]);
  });

  it("returns the original text of a file", async () => {
    expect(await valueOf({ alias: "D.ten" })).toMatchObject({
      text: FILES["ten.txt"],
      firstLine: 1,
      lastLine: 10,
      totalLines: 10,
    });
    expect(await valueOf({ alias: "D.vocabulary" })).toMatchObject({
      text: FILES["vocabulary.txt"],
    });
    expect(await valueOf({ alias: "D.crlf" })).toMatchObject({
      text: "a\r\nb",
      lastLine: 2,
      totalLines: 2,
    });
    expect(await valueOf({ alias: "D.empty" })).toMatchObject({
      text: "",
      firstLine: 1,
      lastLine: 0,
      totalLines: 0,
    });
  });

  it.each([
    ["7", { text: "line 7\n", firstLine: 7, lastLine: 7 }],
    ["9-", { text: "line 9\nline 10\n", firstLine: 9, lastLine: 10 }],
    ["2-3", { text: "line 2\nline 3\n", firstLine: 2, lastLine: 3 }],
    [" 10-99 ", { text: "line 10\n", firstLine: 10, lastLine: 10 }],
  ])("returns lines %j", async (lines, answer) => {
    const value = await valueOf({ alias: "D.ten", lines });
    expect(value).toMatchObject({ ...answer, totalLines: 10 });
    expect(value.next).toBeUndefined();
  });

  it("cuts at whole lines, reports the cut, and can be continued to the end", async () => {
    const options = { maxTokens: 65, counter: perCharacter };
    const first = await valueOf({ alias: "D.ten" }, options);
    expect(first.text).toMatchInlineSnapshot(`
      "line 1
      line 2
      ... +8 lines, get_alias("D.ten", lines 3-10)
      "
    `);
    expect(first).toMatchObject({ firstLine: 1, next: { lines: `${first.lastLine + 1}-10` } });
    let text = "";
    let next: GetAliasOutput["next"] = { lines: "1-" };
    while (next !== undefined) {
      const part: GetAliasOutput = await valueOf({ alias: "D.ten", ...next }, options);
      text += part.text.replace(/^\.\.\. .*\n/m, "");
      next = part.next;
    }
    expect(text).toBe(FILES["ten.txt"]);
  });

  it("cuts a single line that is too long, and continues after it", async () => {
    const value = await valueOf({ alias: "D.giant" }, { maxTokens: 200, counter: perCharacter });
    expect(value.text).toMatchInlineSnapshot(`
      "😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀
      ... +9906 characters of line 1, which is too long to show and +1 lines, get_alias("D.giant", lines 2-2)
      "
    `);
    expect(value).toMatchObject({ firstLine: 1, lastLine: 1, next: { lines: "2-2" } });
  });

  it("never exceeds its bound, and keeps a margin under an estimate", async () => {
    const alias = fc.constantFrom("D.ten", "D.giant", "D.crlf", "D.empty");
    await fc.assert(
      fc.asyncProperty(alias, fc.nat(400), fc.boolean(), async (alias, maxTokens, isExact) => {
        const counter = { ...perCharacter, isExact };
        const result = await call({ alias }, { maxTokens, counter });
        const refusal = result.ok ? "bound_too_small" : result.issues[0]?.code;
        const empty = { text: "", lastLine: 0, totalLines: 0, next: undefined };
        const { text, lastLine, totalLines, next } = result.ok ? result.value : empty;
        expect(refusal).toBe("bound_too_small");
        expect(text.length).toBeLessThanOrEqual(isExact ? maxTokens : maxTokens * 0.9);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(next === undefined).toBe(lastLine === totalLines);
      }),
    );
  });

  it.each([
    [{ alias: "D.tne" }, 'alias_unknown: There is no alias "D.tne". Nearest: D.ten'],
    [
      { alias: "D.ten", lines: "11" },
      "lines_out_of_range: D.ten has 10 lines; lines 11 are not in it.",
    ],
    [{ alias: "D.ten", lines: "0-3" }, "lines_invalid"],
    [{ alias: "D.ten", lines: "5-3" }, "lines_invalid"],
    [{ alias: "D.ten", lines: 5 }, "lines_invalid"],
    [{ alias: "D.empty", lines: "1" }, "lines_out_of_range"],
    [{ alias: "D.ten", sha8: "xyz" }, "input_invalid"],
    [{ alias: "D.ten", path: "/etc/passwd" }, 'input_invalid: There is no parameter "path".'],
    [{ alias: "D.binary" }, "file_binary"],
    [{}, "input_invalid"],
    ["D.ten", "input_invalid"],
    [null, "input_invalid"],
  ])("rejects %j", async (input, message) => {
    expect((await issuesOf(input)).join("\n")).toContain(message);
  });

  it("rejects a stale hash in either place, and returns the current one", async () => {
    const { sha8 } = await valueOf({ alias: "D.ten" });
    expect(await valueOf({ alias: `D.ten@${sha8}`, sha8 })).toMatchObject({ sha8 });
    for (const input of [{ alias: "D.ten", sha8: "00000000" }, { alias: "D.ten@00000000" }]) {
      expect(await issuesOf(input)).toEqual([
        `alias_stale: D.ten has changed: it is D.ten@${sha8} now, not @00000000.`,
      ]);
    }
    expect(await issuesOf({ alias: `D.ten@${sha8}`, sha8: "00000000" })).toEqual([
      expect.stringContaining("input_invalid"),
    ]);
  });

  it("reports everything that is wrong at once", async () => {
    expect(await issuesOf({ alias: 5, sha8: 5, lines: 5, more: 5 })).toHaveLength(4);
  });

  it("answers any input with a result", async () => {
    const hostile = fc.record(
      { alias: fc.anything(), sha8: fc.anything(), lines: fc.anything() },
      { requiredKeys: [] },
    );
    const plausible = fc.record({
      alias: fc.constantFrom("D.ten", "D.giant"),
      lines: fc.string({ unit: fc.constantFrom("1", "9", "0", "-", " ") }),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), hostile, plausible), async (input) => {
        const result = await call(input);
        expect(typeof result.ok).toBe("boolean");
      }),
    );
  });
});
