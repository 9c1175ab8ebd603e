import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openSqlite } from "@ccl/sql/node";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSqliteArtifactStore } from "./open-sqlite-artifact-store.ts";
import { kills } from "../../../scripts/lengths/test-length.mjs";

const built = new URL("../dist/index.js", import.meta.url);
const sqlBuilt = new URL("../../sql/dist/node/index.js", import.meta.url);
/** Whatever a killed writer has left is abandoned by then. */
const twoHoursLater = { now: () => Date.now() + 7_200_000 };

// Children say on stdout, line by line, what was acknowledged to them, and what went wrong.
const header = `
  import { writeSync } from "node:fs";
  const { openSqliteArtifactStore } = await import(process.env.CCL_BUILT);
  const { openSqlite } = await import(process.env.CCL_SQL_BUILT);
  const path = process.env.CCL_PATH;
  const say = (line) => writeSync(1, line + "\\n");
  const sizes = [300, 30_000, 900_000, 2_500_000];
  const contentOf = (number) => Buffer.alloc(sizes[number % 4], "#" + number + " ");
  const from = Number(process.env.CCL_FROM);
`;
const writer = `${header}
  const store = await openSqliteArtifactStore({ path });
  for (let number = from; ; number += 1) {
    const handle = await store.store(contentOf(number), { source: "tool:" + (number % 3), sessionId: "s" });
    say(number + " " + handle.artifactId);
  }
`;
// What the promise is about: a writer that acknowledges before its commit.
const hastyWriter = `${header}
  const database = await openSqlite({ path });
  database.exec("CREATE TABLE IF NOT EXISTS hasty (number)");
  database.exec("BEGIN IMMEDIATE");
  for (let number = 0; number < 5; number += 1) {
    database.prepare("INSERT INTO hasty VALUES (?)").run(number);
    say(number + " hasty");
  }
  setInterval(() => undefined, 1_000);
`;
// Puts, deletions and collections of the same few contents in two processes at once.
const contender = `${header}
  const store = await openSqliteArtifactStore({ path });
  try {
    for (let round = 0; round < 60; round += 1) {
      const number = from + round;
      const own = await store.store("own " + number, { source: "tool:own" });
      const shared = await store.store("shared " + (round % 5), { source: "tool:shared" });
      if (round % 3 === 0) await store.storeMany([1, 2, 3].map((part) => ({ content: number + "/" + part, source: "tool:own" })));
      await store.delete(shared.artifactId, { handleId: shared.handleId });
      await store.collectGarbage({ graceMs: 0 });
      say(number + " " + own.artifactId);
      if (round % 20 === 19) {
        const again = await openSqliteArtifactStore({ path });
        await again.close();
      }
    }
    await store.close();
  } catch (error) {
    say("failed " + error + " " + error.cause);
  }
`;

let folder = "";
let path = "";
beforeAll(() => {
  if (!existsSync(built))
    throw new Error("packages/artifact-store-sqlite/dist is missing: run the build first.");
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sqlite-processes-"));
  path = join(folder, "artifacts.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ack {
  number: number;
  artifactId: string;
}

/** Runs a child to its end, or kills it at its `killAt`-th line; all that it said. */
async function linesOf(
  script: string,
  options: { from?: number; killAt?: number } = {},
): Promise<string[]> {
  const { from = 0, killAt = Infinity } = options;
  const own = {
    CCL_BUILT: built.href,
    CCL_SQL_BUILT: sqlBuilt.href,
    CCL_PATH: path,
    CCL_FROM: String(from),
  };
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, ...own },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === killAt) child.kill("SIGKILL");
  }
  return lines;
}

const acksOf = (lines: string[]): Ack[] =>
  lines.map((line) => {
    const [number = "", artifactId = ""] = line.split(" ");
    return { number: Number(number), artifactId };
  });

/** Asserts that the file is sound, and that its sums are those of its rows. */
async function expectSound(): Promise<void> {
  const database = await openSqlite({ path });
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const lost = `SELECT count(*) AS n FROM artifact_chunks WHERE chunk_key / 4194304 NOT IN (
    SELECT set_id FROM artifact_blobs WHERE set_id IS NOT NULL UNION SELECT set_id FROM artifact_stages)`;
  expect(database.prepare(lost).get()).toEqual({ n: 0 });
  database.close();
}

describe("a process that is killed", () => {
  it(`has kept whole whatever it acknowledged, ${kills} times`, async () => {
    const acks: Ack[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const killAt = 1 + Math.floor(Math.random() * 30);
      acks.push(...acksOf(await linesOf(writer, { from: acks.length * 4, killAt })));
      await expectSound();
      const store = await openSqliteArtifactStore({ path, clock: twoHoursLater });
      for (const { artifactId } of acks) {
        const bytes = (await store.retrieve(artifactId)) ?? new Uint8Array();
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(artifactId);
      }
      expect((await store.verify()).damaged).toEqual([]);
      await store.close();
    }
    expect(acks.length).toBeGreaterThanOrEqual(kills);
  });

  it("leaves no rows of a stream behind once its store is opened again", async () => {
    await linesOf(writer, { killAt: 6 });
    const database = await openSqlite({ path });
    database.exec(
      "INSERT INTO artifact_stages VALUES (900, 0, 0); INSERT INTO artifact_chunks VALUES (3774873600, x'00')",
    );
    const store = await openSqliteArtifactStore({ client: database });
    expect(
      database.prepare("SELECT count(*) AS n FROM artifact_stages WHERE set_id = 900").get(),
    ).toEqual({ n: 0 });
    await store.close();
    database.close();
    await expectSound();
  });

  it("would be caught if it acknowledged before its commit, so the check can fail", async () => {
    expect(await linesOf(hastyWriter, { killAt: 5 })).toHaveLength(5);
    const database = await openSqlite({ path });
    expect(database.prepare("SELECT count(*) AS n FROM hasty").get()).toEqual({ n: 0 });
    database.close();
  });
});

describe("two processes on one store", () => {
  it("lose nothing, and see no lock of each other", async () => {
    const lines = (await Promise.all([0, 1000].map((from) => linesOf(contender, { from })))).flat();
    expect(lines.filter((line) => line.startsWith("failed"))).toEqual([]);
    const acks = acksOf(lines);
    expect(acks).toHaveLength(120);
    const store = await openSqliteArtifactStore({ path });
    const missing: Ack[] = [];
    for (const ack of acks) if (!(await store.exists(ack.artifactId))) missing.push(ack);
    expect(missing).toEqual([]);
    expect(await store.verify()).toMatchObject({ checked: 120 + 120, damaged: [], missing: [] });
    await store.collectGarbage({ graceMs: 0 });
    await store.close();
    await expectSound();
  });
});
