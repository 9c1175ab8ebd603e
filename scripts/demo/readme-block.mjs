// The demo's output as README.md shows it. Times and random ids differ from run to run.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";

const block = /(?<=<!-- demo output: begin -->[^]*?```text\n)[^]*?(?=\n```)/;

export async function writeReadme(file, output) {
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(block, () => output),
  );
}

/** Fails if README.md shows another output, apart from times and random ids. */
export async function checkReadme(file, output) {
  const [shown] = block.exec(await readFile(file, "utf8")) ?? [];
  assert.equal(
    constantOf(output),
    constantOf(shown ?? ""),
    'README.md shows another output; run "node scripts/demo.mjs --write"',
  );
}

function constantOf(text) {
  return text
    .replaceAll(/\d+\.\d+ s\b/g, "<time>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, "<id>");
}
