import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { createMemoryRecords } from "@ccl/records";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { listResources } from "../store/list-resources.ts";
import { createCatalogFolder } from "./create-catalog-folder.ts";
import { isAtLeast, kills } from "../../../../scripts/lengths/test-length.mjs";

const built = new URL("../../dist/node/index.js", import.meta.url);
const bulk = 200;
const writers = 6;
const writesPerWriter = 2;
const isWindows = process.platform === "win32";

/**
 * Waits for a line on stdin, then adds its resources one by one and prints each one once it is
 * acknowledged.
 */
const writer = `
  import { readFileSync, writeSync } from "node:fs";
  import { once } from "node:events";
  const [path, file, ...writes] = process.argv.slice(1);
  const { createCatalogFolder } = await import(process.env.CCL_BUILT);
  const known = JSON.parse(readFileSync(file, "utf8"));
  const folder = createCatalogFolder(path);
  writeSync(1, "ready\\n");
  await once(process.stdin, "data");
  for (const ids of writes) {
    for (let isWritten = false; !isWritten; ) {
      try {
        const content = await folder.read();
        const records = [...content.records.map(({ record }) => record), ...ids.split(",").map((id) => known[id])];
        await folder.write(content, { records, sources: [] });
        isWritten = true;
      } catch (error) {
        if (error.code !== "conflict") throw error;
      }
    }
    writeSync(1, ids + "\\n");
  }
  process.exit();
`;

let temporary = "";
let path = "";
const children: ChildProcess[] = [];
beforeAll(() => {
  if (!existsSync(built)) throw new Error("packages/catalog/dist is missing: run the build first.");
});
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "ccl-folder-"));
  path = join(temporary, "catalog");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(temporary, { recursive: true, force: true });
});

async function recordsOf(ids: readonly string[]): Promise<ResourceRecord[]> {
  const records = createMemoryRecords();
  const inputs = ids.map((id) => ({ id, kind: "bus", title: id }));
  expect(await createCatalog({ records }).register(inputs)).toMatchObject({ ok: true });
  return listResources(records);
}

interface Writer {
  child: ChildProcess;
  acknowledged: string[];
  ended: Promise<unknown>;
}

async function startWriter(file: string, writes: readonly string[]): Promise<Writer> {
  const args = ["--input-type=module", "-e", writer, path, file, ...writes];
  const env = { ...process.env, CCL_BUILT: built.href };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  lines.on("line", (line) => acknowledged.push(...line.split(",")));
  return { child, acknowledged, ended: once(child, "close") };
}

const range = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `bus:${prefix}${at}`);

describe("createCatalogFolder", () => {
  it("writes records and sources, reads them back, and rejects a second writer", async () => {
    const folder = createCatalogFolder(path);
    expect(folder.exists()).toBe(false);
    expect(await folder.init()).toBe(true);
    expect(await folder.init()).toBe(false);
    const empty = await folder.read();
    const records = await recordsOf(["bus:a", "bus:b"]);
    const source = { kind: "jsonl" as const, name: "own", location: "own.jsonl" };
    const resources = [{ id: "bus:a", kind: "bus", title: "bus:a" }];
    const written = await folder.write(empty, { records, sources: [{ ...source, resources }] });
    const read = await folder.read();
    expect(read.records).toEqual(written.records);
    expect(read.records.map(({ record }) => record)).toEqual(records);
    expect(await folder.readSources(read)).toEqual([{ ...source, resources }]);
    const other = { records: await recordsOf(["bus:c"]), sources: [] };
    await expect(folder.write(empty, other)).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(folder.readSources(empty)).rejects.toMatchObject({ code: "conflict" });
    await writeFile(join(path, "overview.jsonl"), "{");
    await expect(folder.read()).rejects.toMatchObject({ code: "damaged" });
  });

  it.skipIf(isWindows || !isAtLeast("ci"))(
    "loses no acknowledged write when an owner is killed in the middle of one with writers waiting",
    async () => {
      const folder = createCatalogFolder(path);
      await folder.init();
      const file = join(temporary, "records.json");
      let unfinished = 0;
      for (let round = 0; round < kills; round += 1) {
        const ownerIds = range(bulk, `r${round}-bulk`);
        const plans = Array.from({ length: writers }, (_, at) =>
          range(writesPerWriter, `r${round}-w${at}-`),
        );
        const records = await recordsOf([...ownerIds, ...plans.flat()]);
        await writeFile(
          file,
          JSON.stringify(Object.fromEntries(records.map((each) => [each.id, each]))),
        );
        const owner = await startWriter(file, [ownerIds.join(",")]);
        const others = await Promise.all(plans.map((ids) => startWriter(file, ids)));
        owner.child.stdin?.write("go\n");
        while (!existsSync(join(path, ".changes.json")) && owner.acknowledged.length === 0)
          await new Promise((resolve) => setImmediate(resolve));
        owner.child.kill("SIGSTOP");
        if (existsSync(join(path, ".changes.json"))) unfinished += 1;
        for (const { child } of others) child.stdin?.write("go\n");
        // Long enough for the writers to reach the lock. The test also passes if they do not.
        await new Promise((resolve) => setTimeout(resolve, 200));
        owner.child.kill("SIGKILL");
        await Promise.all([owner, ...others].map(({ ended }) => ended));

        const found = new Set((await folder.read()).records.map(({ record }) => record.id));
        const acknowledged = others.flatMap((each) => each.acknowledged);
        expect(acknowledged).toHaveLength(writers * writesPerWriter);
        expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
        // The owner's journal was durable, so its write is completed as a whole.
        expect(ownerIds.filter((id) => !found.has(id))).toEqual([]);
        expect((await readdir(path)).filter((name) => name.startsWith(".")).sort()).toEqual([
          ".cache",
        ]);
        await folder.write(await folder.read(), { records: [], sources: [] });
      }
      expect(unfinished).toBeGreaterThan(0);
    },
    30_000 + kills * 20_000,
  );
});
