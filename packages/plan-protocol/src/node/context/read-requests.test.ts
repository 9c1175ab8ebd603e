import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ContextRequest } from "../../plan/plan.ts";
import type { FulfilledContext } from "../../workspace/plan-workspace.ts";
import { openWorkspace, type OpenWorkspaceOptions } from "../open-workspace.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-read-"));
  for (const folder of ["src", "node_modules/x", ".git", "secrets", "docs"])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, "src/a.ts"), "one\nneedle two\r\nthree");
  for (const path of ["node_modules/x/i.js", ".git/config", "secrets/k.txt", ".env", "docs/b.md"])
    await writeFile(join(root, path), "x\nneedle\n");
  await writeFile(join(root, "src/binary.dat"), "\0needle");
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function read(
  requests: ContextRequest[],
  options: Partial<OpenWorkspaceOptions> = {},
): Promise<FulfilledContext> {
  const workspace = await openWorkspace({ root, ...options });
  const found = await workspace.read(requests);
  await workspace.close();
  return found;
}

describe("read_file", () => {
  it.each<[{ start_line?: number; end_line?: number }, string, string]>([
    [{}, "src/a.ts", "one\nneedle two\r\nthree"],
    [{ start_line: 2 }, "src/a.ts:2-", "needle two\r\nthree"],
    [{ start_line: 2, end_line: 2 }, "src/a.ts:2-2", "needle two\r\n"],
    [{ end_line: 1 }, "src/a.ts:1-1", "one\n"],
    [{ start_line: 3, end_line: 99 }, "src/a.ts:3-99", "three"],
  ])("gives the lines %j with the hash of the whole file", async (range, label, text) => {
    const { blocks, issues } = await read([{ type: "read_file", path: "src/a.ts", ...range }]);
    expect(issues).toEqual([]);
    expect(blocks).toEqual([
      { type: "read_file", label, text, sha256: sha256Hex("one\nneedle two\r\nthree") },
    ]);
  });

  it.each<[ContextRequest, string]>([
    [{ type: "read_file", path: "src/a.ts", start_line: 0 }, "ERR_CONTEXT_REQUEST"],
    [{ type: "read_file", path: "src/a.ts", start_line: 3, end_line: 2 }, "ERR_CONTEXT_REQUEST"],
    [{ type: "read_file", path: "src/a.ts", start_line: 4 }, "ERR_CONTEXT_REQUEST"],
    [{ type: "read_file", path: ".env" }, "PROTECTED_PATH"],
    [{ type: "read_file", path: "../a" }, "ERR_INVALID_PATH"],
    [{ type: "read_file", path: "gone.ts" }, "PATH_NOT_FOUND"],
    [{ type: "read_file", path: "src" }, "PATH_NOT_FOUND"],
    [{ type: "read_file", path: "src/binary.dat" }, "ERR_NON_UTF8_FILE"],
    [{ type: "search", query: " " }, "ERR_CONTEXT_REQUEST"],
    [
      { type: "search", query: "x", glob: "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" },
      "ERR_CONTEXT_REQUEST",
    ],
    [{ type: "logs", source: "app" }, "ERR_CONTEXT_REQUEST"],
    [{ type: "env" }, "ERR_CONTEXT_REQUEST"],
  ])("answers %j with a block that says why not, and an issue", async (request, code) => {
    const { blocks, issues } = await read([request]);
    expect(issues).toMatchObject([{ request, code }]);
    expect(blocks).toMatchObject([{ type: request.type, text: expect.stringContaining(code) }]);
  });

  it("keeps a large file within the limit on characters", async () => {
    await writeFile(join(root, "large.txt"), "line\n".repeat(100_000));
    const { blocks } = await read([{ type: "read_file", path: "large.txt" }], {
      limits: { maxContextFileChars: 1_000 },
    });
    expect(blocks[0]?.text.length).toBeLessThanOrEqual(1_000);
    expect(blocks[0]?.text).toContain("[TRUNCATED");
  });
});

describe("search", () => {
  it("finds lines in the order of paths, and nothing in protected, fetched and binary files", async () => {
    const { blocks } = await read([{ type: "search", query: "needle" }]);
    expect(blocks[0]?.text).toBe("docs/b.md:2: needle\nsrc/a.ts:2: needle two");
  });

  it("takes a query literally and a glob for its files", async () => {
    await writeFile(join(root, "src/c.ts"), "a.*b(\n");
    const { blocks } = await read([
      { type: "search", query: ".*b(" },
      { type: "search", query: "needle", glob: "src/**/*.{ts,tsx}" },
      { type: "search", query: "needle", glob: "*.md" },
    ]);
    expect(blocks.map(({ text }) => text)).toEqual([
      "src/c.ts:1: a.*b(",
      "src/a.ts:2: needle two",
      "docs/b.md:2: needle",
    ]);
  });

  it("stops at the limit of hits and says so", async () => {
    await writeFile(join(root, "many.txt"), "needle\n".repeat(100));
    const { blocks } = await read([{ type: "search", query: "needle", glob: "many.txt" }], {
      limits: { maxSearchHits: 3 },
    });
    expect(blocks[0]?.text).toBe(
      "many.txt:1: needle\nmany.txt:2: needle\nmany.txt:3: needle\n[stopped at the limit of hits; there may be more]",
    );
  });

  it("shows what stands round a hit in a long line, and masks secrets", async () => {
    await writeFile(join(root, "min.js"), `${"a".repeat(100_000)}needle${"b".repeat(100_000)}`);
    await writeFile(join(root, "word.txt"), `${"é".repeat(300)}needle${"é".repeat(300)}`);
    await writeFile(join(root, "conf.txt"), "needle password=hunter2hunter2\n");
    const { blocks } = await read([
      { type: "search", query: "needle", glob: "min.js" },
      { type: "search", query: "needle", glob: "conf.txt" },
      { type: "search", query: "needle", glob: "word.txt" },
    ]);
    expect(blocks[0]?.text).toMatch(/^min\.js:1: \.\.\.a{10,}needleb{10,}\.\.\.$/);
    expect(blocks[0]?.text.length).toBeLessThan(300);
    expect(blocks[1]?.text).not.toContain("hunter2");
    expect(blocks[2]?.text).toMatch(/^word\.txt:1: \.\.\.é{10,}needleé{10,}\.\.\.$/);
  });
});

describe("logs and env", () => {
  it("come from the ports, masked and bounded", async () => {
    const { blocks } = await read([{ type: "logs", source: "app", last_n: 5 }, { type: "env" }], {
      limits: { maxContextLogChars: 500 },
      logs: (source, lastN) =>
        Promise.resolve(`${source} ${lastN} token=abcdefgh12345678\n${"x".repeat(10_000)}`),
      env: () => Promise.resolve("NODE_VERSION=20\nDB_PASSWORD=hunter2hunter2"),
    });
    expect(blocks[0]?.text.length).toBeLessThanOrEqual(500);
    expect(blocks[0]?.text).toMatch(/^app 5 token=\[redacted/);
    expect(blocks[1]?.text).toContain("NODE_VERSION=20");
    expect(blocks[1]?.text).not.toContain("hunter2");
  });

  it("that fail give an issue and no error", async () => {
    const { issues } = await read([{ type: "env" }], {
      env: () => Promise.reject(new Error("no")),
    });
    expect(issues).toMatchObject([{ code: "ERR_CONTEXT_REQUEST" }]);
  });
});
