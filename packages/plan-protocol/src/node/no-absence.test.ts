import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { requireBuilt, runChild } from "../../test-support/child-process.ts";

const length = process.env["CCL_TEST_LENGTH"];
const [fileCount, applies, kills] = length === undefined ? [10, 4, 2] : [50, 20, 20];
const names = Array.from({ length: fileCount }, (_, index) => `f${index}.txt`);

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-plan-absence-"));
  await mkdir(join(root, "src"));
  for (const name of names) await writeFile(join(root, "src", name), "one\n");
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Looks at all files again and again, and says at the end how often, and how often one was not there. */
const watcherScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  let looks = 0;
  let absences = 0;
  while (!fs.existsSync(root + "/stop")) {
    for (const name of names) {
      looks += 1;
      if (!fs.existsSync(root + "/src/" + name)) absences += 1;
    }
    await new Promise((done) => setImmediate(done));
  }
  say({ looks, absences });
`;

const editScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  const workspace = await openWorkspace({ root, durability: "off" });
  await workspace.recover();
  arm();
  for (let round = 0; round < Number(process.env.CCL_ROUNDS); round += 1) {
    const actions = [];
    for (const name of names) {
      const path = "src/" + name;
      await workspace.read([{ type: "read_file", path }]);
      const { text, sha256 } = workspace.readSet.get(path);
      actions.push({ kind: "EDIT_FILE", path, base_sha256: sha256, edits: [{ before: text, after: text === "one\\n" ? "two\\n" : "one\\n" }] });
    }
    const applied = await workspace.apply({ version: 3, mode: "apply", summary: "", context_requests: [], memory_patch: {}, actions });
    if (!applied.ok) throw new Error(JSON.stringify(applied.issues));
    if (round % 2 === 1) await workspace.rollback(applied.value.transactionId);
  }
  say({ calls: counted() });
  await workspace.close();
`;

/** The control: a file is moved away before the new one gets its name. */
const movingScript = `
  const names = JSON.parse(process.env.CCL_NAMES);
  for (let round = 0; round < 15; round += 1)
    for (const name of names) {
      const path = root + "/src/" + name;
      fs.renameSync(path, root + "/old");
      await new Promise((done) => setImmediate(done));
      fs.writeFileSync(root + "/new", String(round));
      fs.renameSync(root + "/new", path);
    }
`;

async function watchWhile(work: () => Promise<void>): Promise<{ looks: number; absences: number }> {
  const env = { CCL_NAMES: JSON.stringify(names) };
  const watching = runChild(watcherScript, { root, env });
  await work().finally(() => writeFile(join(root, "stop"), ""));
  const [seen] = await watching;
  return seen as { looks: number; absences: number };
}

const edit = (rounds: number, killAt = -1): Promise<unknown[]> =>
  runChild(editScript, {
    root,
    killAt,
    env: { CCL_NAMES: JSON.stringify(names), CCL_ROUNDS: String(rounds) },
  });

it("no file that a plan changes is missing at any moment, also through kills and recovery", async () => {
  const seen = await watchWhile(async () => {
    const [{ calls = 0 } = {}] = (await edit(applies)) as { calls?: number }[];
    expect(calls).toBeGreaterThan(fileCount * applies);
    const callsOfOne = Math.floor(calls / applies);
    for (let kill = 0; kill < kills; kill += 1)
      await edit(2, Math.floor(((kill + 0.5) * callsOfOne) / kills));
    await edit(1);
  });
  expect(seen).toMatchObject({ absences: 0 });
  expect(seen.looks).toBeGreaterThan(fileCount * 10);
}, 600_000);

it("would be seen missing where files are moved away first, so the check can fail", async () => {
  const seen = await watchWhile(async () => {
    await runChild(movingScript, { root, env: { CCL_NAMES: JSON.stringify(names) } });
  });
  expect(seen.absences).toBeGreaterThan(0);
});
