// Changes N files of 25 KB: a plan as a transaction, next to other ways to write files. All of them sync each file.
import fs from "node:fs";
import { open, rename } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import writeFileAtomic from "write-file-atomic";

import { sha256Hex } from "../../packages/core/dist/index.js";
import { openWorkspace } from "../../packages/plan-protocol/dist/node/index.js";

const folders = 10;
const fileBytes = 25_000;

const textOf = (index, version) =>
  `file ${index} version ${version}\n`.padEnd(fileBytes, `line ${index} ${version}\n`);
const pathOf = (index) => `src/${index % folders}/${index}.txt`;

async function writeBare(place, text) {
  const temporary = `${place}.tmp`;
  const file = await open(temporary, "wx", 0o644);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(temporary, place);
}

/** Each writer changes all files of a folder to a version and returns the milliseconds that it took. */
export const writers = {
  "@ccl/plan-protocol": async ({ workspace }, count, version) => {
    const indexes = Array.from({ length: count }, (_, index) => index);
    for (const index of indexes) {
      const text = textOf(index, version - 1);
      workspace.readSet.set(pathOf(index), { sha256: sha256Hex(text), text });
    }
    const actions = indexes.map((index) => ({
      kind: "UPDATE_FILE",
      path: pathOf(index),
      content: textOf(index, version),
      base_sha256: sha256Hex(textOf(index, version - 1)),
    }));
    const plan = {
      version: 1,
      mode: "apply",
      summary: "",
      context_requests: [],
      memory_patch: {},
      actions,
    };
    const startedAt = performance.now();
    const applied = await workspace.apply(plan);
    const elapsed = performance.now() - startedAt;
    if (!applied.ok) throw new Error(JSON.stringify(applied.issues));
    return elapsed;
  },
  "write-file-atomic": (place, count, version) =>
    oneByOne(place, { count, version, write: writeFileAtomic }),
  "write-file-atomic, all at once": async ({ root }, count, version) => {
    const texts = Array.from({ length: count }, (_, index) => textOf(index, version));
    const startedAt = performance.now();
    await Promise.all(
      texts.map((text, index) => writeFileAtomic(path.join(root, pathOf(index)), text)),
    );
    return performance.now() - startedAt;
  },
  "bare loop": (place, count, version) => oneByOne(place, { count, version, write: writeBare }),
};

async function oneByOne({ root }, { count, version, write }) {
  const texts = Array.from({ length: count }, (_, index) => textOf(index, version));
  const startedAt = performance.now();
  for (const [index, text] of texts.entries()) await write(path.join(root, pathOf(index)), text);
  return performance.now() - startedAt;
}

/** Milliseconds of each round by writer. The writers take turns within a round. */
export async function applyRounds(count, rounds) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-bench-plan-"));
  try {
    const places = {};
    for (const name of Object.keys(writers)) {
      const root = path.join(base, String(Object.keys(places).length));
      for (let folder = 0; folder < folders; folder += 1)
        fs.mkdirSync(path.join(root, `src/${folder}`), { recursive: true });
      for (let index = 0; index < count; index += 1)
        fs.writeFileSync(path.join(root, pathOf(index)), textOf(index, 0));
      places[name] = { root, workspace: await openWorkspace({ root }) };
    }
    const times = Object.fromEntries(Object.keys(writers).map((name) => [name, []]));
    const turn = async (round) => {
      const elapsed = {};
      for (const [name, write] of Object.entries(writers))
        elapsed[name] = await write(places[name], count, round);
      return elapsed;
    };
    // The first round warms up.
    await turn(1);
    for (let round = 0; round < rounds; round += 1)
      for (const [name, elapsed] of Object.entries(await turn(round + 2)))
        times[name].push(elapsed);
    for (const { workspace } of Object.values(places)) await workspace.close();
    return times;
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}
