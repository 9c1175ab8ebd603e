// Runs the program unchanged, and once for each piece with that piece replaced by changing one line. The recorded model
// makes the same change of files each time. Prints the first run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const swaps = {
  model: `{ provider: "mine", modelId: "mine", generate: async (request) => (await openModel()).generate(request) }`,
  store: `(await import("@ccl/artifact-store")).createMemoryArtifactStore()`,
  pack: `{ text: "orders.mjs report.mjs", tokens: 9, entries: [{ path: "orders.mjs" }, { path: "report.mjs" }] }`,
  cards: `{ text: "orders(id, customer_id, total_cents), customers(id, name, city)", tokens: 20 }`,
  compiler: `{ compile: async () => ({ toMessages: () => [], artifactRefs: [], tokenCount: 0 }) }`,
};

const source = readFileSync(fileURLToPath(new URL("main.mjs", import.meta.url)), "utf8");
const expected = run(source);
console.log(expected);
for (const [name, piece] of Object.entries(swaps)) {
  const line = new RegExp(`^const ${name} = .*$`, "m");
  assert.match(source, line);
  const printed = run(source.replace(line, `const ${name} = ${piece};`));
  assert.equal(diffIn(printed), diffIn(expected), `another ${name} gives the same change`);
  console.log(`another ${name}: the same change`);
}

/** Returns the program's output. The copy is next to the original, so its imports work. */
function run(text) {
  const file = fileURLToPath(new URL("swapped.mjs", import.meta.url));
  writeFileSync(file, text);
  try {
    const env = { ...process.env, CCL_MODEL: "recorded" };
    return execFileSync(process.execPath, [file], { encoding: "utf8", env });
  } finally {
    rmSync(file);
  }
}

function diffIn(printed) {
  return printed.slice(printed.indexOf("--- "));
}
