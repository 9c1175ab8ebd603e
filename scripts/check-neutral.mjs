// Fails if an entry for every platform does not bundle for browsers or does not run without `eval`.
// scripts/neutral/not-yet.json lists entries that do not pass yet, with the reason. The list may only shrink.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { readWorkspace } from "./graph/workspace.mjs";
import { neutralEntries, tryNeutralEntry } from "./neutral/neutral-entries.mjs";

const root = path.resolve(import.meta.dirname, "..");
const notYetFile = path.join(root, "scripts/neutral/not-yet.json");
const notYet = JSON.parse(fs.readFileSync(notYetFile, "utf8"));
const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-neutral-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const entries = neutralEntries(readWorkspace(root));
const failed = {};
const rows = [];
for (const entry of entries) {
  const { problem, bytes } = await tryNeutralEntry(entry, folder);
  if (problem !== undefined) failed[entry.name] = problem;
  else rows.push(`${entry.name} ${(bytes / 1000).toFixed(0)} kB`);
}
if (process.argv.includes("--write")) {
  const known = Object.entries(failed).filter(([name]) => notYet[name] !== undefined);
  fs.writeFileSync(notYetFile, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`);
}
const news = Object.keys(failed).filter((name) => notYet[name] === undefined);
for (const name of news) console.error(`neutral: ${name} ${failed[name]}`);
const repaired = Object.keys(notYet).filter((name) => failed[name] === undefined);
for (const name of repaired)
  console.error(`neutral: ${name} passes; remove it from scripts/neutral/not-yet.json (--write)`);
if (news.length + (process.argv.includes("--write") ? 0 : repaired.length) > 0) process.exit(1);
console.log(`neutral: ${rows.join(", ")}`);
console.log(`neutral: ${rows.length} of ${entries.length} entries run everywhere`);
