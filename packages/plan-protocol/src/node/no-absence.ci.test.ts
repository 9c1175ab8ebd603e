import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { requireBuilt, runChild } from "../../test-support/child-process.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const fileCount = byLength({ ci: 10, faults: 200 });
const applies = byLength({ ci: 4, faults: 100 });
const kills = byLength({ ci: 2, faults: 60 });
const names = Array.from({ length: fileCount }, (_, index) => `f${index}.txt`);

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-plan-absence-"));
  await mkdir(join(root, "src"));
  for (const name of names) await writeFile(join(root, "src", name), "one\n");
});
const children: Promise<unknown>[] = [];
afterEach(async () => {
  // Also of a test that ran out of time: no process is left at work in a folder that is removed.
  await writeFile(join(root, "stop"), "");
  while (children.length > 0) await children.pop()?.catch(() => undefined);
  await rm(root, { recursive: true, force: true });
}, 1_800_000);

/** Looks at all files again and again, and says at the end how often, and how often one was not there. */
const watcherScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  let looks = 0;
  let absences = 0;
  while (!fs.existsSync(root + "/stop")) {
    for (const name of names) {
      looks += 1;
      if (fs.existsSync(root + "/src/" + name)) continue;
      absences += 1;
      fs.writeFileSync(root + "/seen", "");
    }
    await new Promise((done) => setImmediate(done));
  }
  say({ looks, absences });
`;

const editScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  const workspace = await openWorkspace({ root, durability: "off" });
  const kept = (await workspace.recover()).flatMap((it) => it.keptPaths);
  const texts = new Set(names.map((name) => fs.readFileSync(root + "/src/" + name, "utf8")));
  say({ kept, texts: texts.size });
  arm();
  for (let round = 0; round < Number(process.env.CCL_ROUNDS); round += 1) {
    const actions = [];
    for (const name of names) {
      const path = "src/" + name;
      await workspace.read([{ type: "read_file", path }]);
      const { text, sha256 } = workspace.readSet.get(path);
      actions.push({ kind: "EDIT_FILE", path, base_sha256: sha256, content: text === "one\\n" ? "two\\n" : "one\\n" });
    }
    const applied = await workspace.apply({ version: 3, mode: "apply", summary: "", context_requests: [], memory_patch: {}, actions });
    if (!applied.ok) throw new Error(JSON.stringify(applied.issues));
    const undone = round % 2 === 1 ? await workspace.rollback(applied.value.transactionId) : applied;
    if (!undone.ok) throw new Error(JSON.stringify(undone.issues));
  }
  say({ calls: counted() });
  await workspace.close();
`;

/** The control: a file is moved away before the new one gets its name, until that is seen. */
const movingScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  while (!fs.existsSync(root + "/seen") && !fs.existsSync(root + "/stop"))
    for (const name of names) {
      const path = root + "/src/" + name;
      fs.renameSync(path, root + "/old");
      await new Promise((done) => setImmediate(done));
      fs.writeFileSync(root + "/new", "two");
      fs.renameSync(root + "/new", path);
    }
`;

function run(script: string, { killAt = -1, rounds = 0 } = {}): Promise<unknown[]> {
  const env = { CCL_NAMES: JSON.stringify(names), CCL_ROUNDS: String(rounds) };
  const child = runChild(script, { root, killAt, env });
  children.push(child);
  return child;
}

async function watchWhile(work: () => Promise<void>): Promise<{ looks: number; absences: number }> {
  const watching = run(watcherScript);
  await work().finally(() => writeFile(join(root, "stop"), ""));
  const [seen] = await watching;
  return seen as { looks: number; absences: number };
}

/** What was there after recovery, and how many calls the edits took; undefined where they were killed. */
async function edit(rounds: number, killAt?: number): Promise<number | undefined> {
  const [recovered, edited] = await run(editScript, { rounds, killAt });
  expect(recovered).toEqual({ kept: [], texts: 1 });
  return (edited as { calls: number } | undefined)?.calls;
}

it("no file that a plan changes is missing at any moment, also through kills and recovery", async ({
  signal,
}) => {
  const seen = await watchWhile(async () => {
    const calls = (await edit(applies)) ?? 0;
    expect(calls).toBeGreaterThan(fileCount * applies);
    const callsOfOne = Math.floor(calls / applies);
    for (let kill = 0; kill < kills; kill += 1) {
      signal.throwIfAborted();
      const killAt = Math.floor(((kill + 0.5) * callsOfOne) / kills);
      expect(await edit(2, killAt)).toBeUndefined();
    }
    signal.throwIfAborted();
    await edit(1);
  });
  expect(seen).toMatchObject({ absences: 0 });
  expect(seen.looks).toBeGreaterThan(fileCount * 10);
}, 1_800_000);

it("would be seen missing where files are moved away first, so the check can fail", async () => {
  const seen = await watchWhile(async () => {
    await run(movingScript);
  });
  expect(seen.absences).toBeGreaterThan(0);
});
