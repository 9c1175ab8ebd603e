import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { kills } from "../../../../scripts/lengths/test-length.mjs";
import { type NodeRecordsPlace, openRecords } from "./index.ts";

const entry = new URL("../../dist/node/index.js", import.meta.url).href;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-records-kill-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Adds the writer's own numbers to one log and one record, three at a time, and prints each once it is kept. */
const program = `
const { openRecords } = await import(process.argv[1]);
const records = await openRecords(JSON.parse(process.argv[2]));
for (let first = Number(process.argv[3]); ; first += 6) {
  await Promise.all([first, first + 2, first + 4].map(async (number) => {
    await records.write([{ append: "log", entries: [number] }, { put: "last", value: number }]);
    console.log(number);
  }));
}`;

function startWriter(place: NodeRecordsPlace, from: number) {
  const values = [entry, JSON.stringify(place), String(from)];
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, ...values], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: number[] = [];
  const lines = createInterface({ input: child.stdout });
  const isAhead = new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("A writer ended before it was killed.")));
    lines.on("line", (line) => {
      printed.push(Number(line));
      if (printed.length === 5) resolve();
    });
  });
  return {
    printed,
    isAhead,
    async kill() {
      const ends = [once(child, "exit"), once(lines, "close")];
      child.kill("SIGKILL");
      await Promise.all(ends);
    },
  };
}

describe.each([
  ["SQLite", (path: string): NodeRecordsPlace => ({ sqlite: { path: `${path}.db` } })],
  ["a folder", (path: string): NodeRecordsPlace => ({ folder: path })],
])("two writers of %s that are killed", (kind, placeOf) => {
  // Each kill starts two processes.
  it("lose nothing that was kept", { timeout: kills * 20_000 }, async () => {
    const place = placeOf(join(folder, kind));
    await (await openRecords(place)).close();
    let from = 0;
    const kept: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const writers = [startWriter(place, from), startWriter(place, from + 1)];
      await Promise.all(writers.map(({ isAhead }) => isAhead));
      await Promise.all(writers.map((writer) => writer.kill()));
      kept.push(...writers.flatMap(({ printed }) => printed));
      from += 1_000_000;
    }
    const records = await openRecords(place);
    const entries: unknown[] = [];
    for (let at = 0; ; at = entries.length) {
      const page = await records.readLog("log", { from: at, limit: 10_000 });
      entries.push(...page.entries);
      if (entries.length >= page.version) break;
    }
    expect((await records.get("last"))?.value).toBe(entries.at(-1));
    expect((await records.get("last"))?.version).toBe(entries.length);
    await records.close();
    const found = new Set(entries);
    expect(found.size).toBe(entries.length);
    expect(kept.filter((number) => !found.has(number))).toEqual([]);
    expect(kept.length).toBeGreaterThanOrEqual(kills * 10);
  });
});
