import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { buildPack, createGetAliasTool, openAliasRegistry } from "@ccl/aliases";
import { estimatedCounter } from "@ccl/core";

const budget = 2000;
const root = path.resolve(process.argv[2] ?? fileURLToPath(new URL("../sample", import.meta.url)));

// Nothing is written to the folder, because the registry is in memory.
const registry = await openAliasRegistry({ root, persist: false });
await registry.scan();
const pack = await buildPack({
  registry,
  task: "Apply a discount when an order is totalled",
  budget,
});
console.log(pack.text);
console.log(
  `\n${pack.entries.length} of ${registry.list().length} files in ${pack.tokens} of ${budget} tokens`,
);
assert.ok(pack.tokens <= budget, "the pack is within its budget");
assert.ok(estimatedCounter.count(pack.text) <= budget, "and the counter agrees");

// A model that wants more asks for a file by the name and hash in the pack.
const wanted = pack.entries.at(0);
assert.ok(wanted, "the pack names at least one file");
const tool = createGetAliasTool(registry);
const answer = await tool.execute({ alias: wanted.alias, sha8: wanted.sha8 }, {});
assert.ok(answer.ok, "the tool knows the alias");
const onDisk = await readFile(path.join(root, answer.value.path), "utf8");
const lines = onDisk
  .replaceAll("\r\n", "\n")
  .split("\n")
  .slice(answer.value.firstLine - 1, answer.value.lastLine);
assert.equal(
  answer.value.text.trimEnd(),
  lines.join("\n").trimEnd(),
  "the tool gives the file's own text",
);
console.log(
  `${wanted.alias}@${answer.value.sha8} is ${answer.value.path}, ${answer.value.totalLines} lines`,
);

const stale = await tool.execute({ alias: wanted.alias, sha8: "00000000" }, {});
assert.ok(!stale.ok, "a hash that is not the file's is refused");
console.log(`00000000 is refused: ${stale.issues.map((issue) => issue.code).join(", ")}`);
await registry.close();
