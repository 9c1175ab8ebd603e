import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireBuilt, runScript } from "../testing/node/run-script.ts";
import { withFileLock } from "./file-lock.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const built = new URL("../../dist/node/index.js", import.meta.url);
const sections = byLength({ ci: 350, faults: 2_000, nightly: 5_000 });
const kills = byLength({ ci: 8, faults: 60, nightly: 300 });
const workers = 6;

let folder = "";
let path = "";
beforeAll(() => requireBuilt(built));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-lock-processes-"));
  path = join(folder, "lock");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/**
 * Takes the lock repeatedly, and writes to one journal when it enters and leaves. The process kills
 * itself before the file system call with the number `CCL_KILL_AT`. A file that it was to write is
 * then half-written.
 */
const worker = (lock: string): string => `
  import { syncBuiltinESMExports } from "node:module";
  const { CCL_BUILT, CCL_FOLDER, CCL_KILL_AT, CCL_SECTIONS } = process.env;
  let calls = 0;
  for (const name of ["writeFile", "link", "unlink", "open", "readdir", "rm"]) {
    const original = fs.promises[name];
    fs.promises[name] = (...args) => {
      calls += 1;
      if (calls > Number(CCL_KILL_AT)) {
        if (name === "writeFile") fs.writeFileSync(args[0], args[1].slice(0, args[1].length / 2), args[2]);
        process.kill(process.pid, "SIGKILL");
      }
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  ${lock}
  const journal = (what, number) =>
    fs.appendFileSync(CCL_FOLDER + "/journal", [process.pid, number, what].join(" ") + "\\n");
  for (let number = 0; number < Number(CCL_SECTIONS); number += 1) {
    await withLock(CCL_FOLDER + "/lock", async () => {
      journal("enter", number);
      await new Promise((resolve) => setImmediate(resolve));
      journal("stay", number);
      await new Promise((resolve) => setImmediate(resolve));
      journal("leave", number);
    });
  }
  say("done");
`;

const coreLock = `
  const { withFileLock } = await import(CCL_BUILT);
  const withLock = (path, work) => withFileLock(path, { waitMs: 600_000 }, work);
`;

/**
 * A lock as many programs write it: create the file, and remove it if it names a process that has
 * ended.
 */
const naiveLock = `
  const { readFile, rm, writeFile } = await import("node:fs/promises");
  const isEnded = (pid) => { try { process.kill(pid, 0); return false; } catch { return true; } };
  const withLock = async (path, work) => {
    for (let tries = 0; ; tries += 1) {
      // A half-written number may be that of a process that runs for ever.
      if (tries === 1_000) process.exit();
      try { await writeFile(path, String(process.pid), { flag: "wx" }); break; } catch {}
      const owner = await readFile(path, "utf8").catch(() => undefined);
      if (owner === "" || (owner !== undefined && isEnded(Number(owner)))) await rm(path, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
    try { await work(); } finally { await rm(path, { force: true }); }
  };
`;

interface Run {
  sectionCount: number;
  overlaps: string[];
  finished: number;
  killed: number;
}

/**
 * Six processes take turns with the lock while others are killed in it, and empty lock files
 * appear.
 */
async function runWorkers(lock: string, counts: { sections: number; kills: number }): Promise<Run> {
  const run = (killAt: number, sectionsOfOne: number): Promise<unknown[]> =>
    runScript(worker(lock), {
      env: {
        CCL_BUILT: built.href,
        CCL_FOLDER: folder,
        CCL_KILL_AT: String(killAt),
        CCL_SECTIONS: String(sectionsOfOne),
      },
    });
  const leaveEmpty = (): Promise<void> =>
    // As a power cut leaves it. Only if there is no lock at the moment.
    writeFile(path, "", { flag: "wx" }).then(
      () => utimes(path, 0, 0),
      () => undefined,
    );
  const over = new AbortController();
  let killed = 0;
  await leaveEmpty();
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < counts.kills && !over.signal.aborted; kill += 1) {
      const said = await run(1 + Math.floor(Math.random() * 30), 1_000);
      if (said.length === 0) killed += 1;
      await leaveEmpty();
    }
  };
  const working = Promise.all(
    Array.from({ length: workers }, () => run(Infinity, counts.sections)),
  );
  const all = Promise.all([working, killing()]);
  const said = await working;
  over.abort();
  await all;
  const journal = await readFile(join(folder, "journal"), "utf8");
  const lines = journal.split("\n").filter((line) => line !== "");
  const finished = said.flat().filter((value) => value === "done").length;
  return { ...sectionsIn(lines), finished, killed };
}

/** A section ends with the last line of its process, because a killed process writes no more. */
function sectionsIn(lines: readonly string[]): { sectionCount: number; overlaps: string[] } {
  const ends = new Map(lines.map((line, at) => [line.slice(0, line.lastIndexOf(" ")), at]));
  const overlaps: string[] = [];
  let insideUntil = -1;
  for (const [at, line] of lines.entries()) {
    if (!line.endsWith(" enter")) continue;
    if (at < insideUntil) overlaps.push(line);
    insideUntil = Math.max(insideUntil, ends.get(line.slice(0, line.lastIndexOf(" "))) ?? at);
  }
  return { sectionCount: ends.size, overlaps };
}

describe("six processes that share a lock while others are killed in it", () => {
  it(
    "are never inside at the same time, and all finish",
    async () => {
      const { sectionCount, overlaps, finished, killed } = await runWorkers(coreLock, {
        sections,
        kills,
      });
      expect(overlaps).toEqual([]);
      expect(finished).toBe(workers);
      expect(sectionCount).toBeGreaterThanOrEqual(workers * sections);
      expect(killed).toBeGreaterThan(0);
      await withFileLock(path, {}, async () => undefined);
      expect(await readdir(folder)).not.toContain("lock");
    },
    20 * 60_000,
  );

  it(
    "are caught inside at the same time by a lock that removes what it has read",
    async () => {
      let overlaps = 0;
      for (let round = 0; round < 8 && overlaps === 0; round += 1) {
        const found = await runWorkers(naiveLock, { sections: 100, kills: 8 });
        overlaps += found.overlaps.length;
        await rm(join(folder, "journal"));
        await rm(path, { force: true });
      }
      expect(overlaps).toBeGreaterThan(0);
    },
    5 * 60_000,
  );
});
