import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAliasRegistry } from "./open-alias-registry.ts";
import { kills } from "../../../../scripts/lengths/test-length.mjs";

/** Node cannot run the sources, so the writers run the build. */
const BUILT = new URL("../../dist/index.js", import.meta.url);

/**
 * Adds `count` names one after another, and prints a line for each. After a conflict it opens the
 * registry again.
 */
const WRITER = `
  const { openAliasRegistry } = await import(process.argv[1]);
  const [, , root, prefix, count] = process.argv;
  let registry = await openAliasRegistry({ root });
  for (let number = 0; number < Number(count); ) {
    try {
      await registry.add(prefix + ".n" + number, "a.ts");
      process.stdout.write("added\\n");
      number += 1;
    } catch (error) {
      if (error.code !== "registry_conflict") throw error;
      process.stdout.write("conflict\\n");
      registry = await openAliasRegistry({ root });
    }
  }
`;

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ccl-writers-"));
  writeFileSync(join(root, "a.ts"), "a");
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function startWriter(prefix: string, count: number): ChildProcess {
  expect(existsSync(BUILT), `build the package first: ${BUILT.pathname} is missing`).toBe(true);
  const args = ["--input-type=module", "--eval", WRITER, BUILT.href, root, prefix, String(count)];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function linesOf(writer: ChildProcess): Promise<string[]> {
  let text = "";
  writer.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(writer, "close");
  return text.split("\n").filter(Boolean);
}

const readNames = (): string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, ".ccl/aliases.json"), "utf8")));

describe("two processes that write one registry", () => {
  it("lose no name: the second one gets an error and opens it again", async () => {
    const writers = ["X", "Y"].map((prefix) => startWriter(prefix, 15));
    const lines = (await Promise.all(writers.map((writer) => linesOf(writer)))).flat();
    expect(lines.filter((line) => line === "added")).toHaveLength(30);
    expect(readNames()).toHaveLength(30);
  });
});

describe("a writer that is killed", () => {
  it(`leaves an intact file and a lock that the next one takes over (${kills} times)`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const before = existsSync(join(root, ".ccl/aliases.json")) ? readNames().length : 0;
      const writer = startWriter(`K${kill}`, 100_000);
      let added = 0;
      writer.stdout?.on("data", (chunk: Buffer) => {
        added += chunk.toString().split("\n").length - 1;
        if (added > 3 + 7 * (kill % 10)) writer.kill("SIGKILL");
      });
      await once(writer, "close");
      expect(writer.signalCode).toBe("SIGKILL");
      expect(readNames().length).toBeGreaterThanOrEqual(before + added);
      const registry = await openAliasRegistry({ root });
      await expect(registry.add(`AFTER.k${kill}`, "a.ts")).resolves.toMatchObject({ ok: true });
      await registry.close();
    }
  });
});
