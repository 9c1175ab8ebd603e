// Fails on an exported value that no program of CI shows, unless scripts/surface/not-yet.json has it: a list that may only
// become shorter. With --write, what is shown by now leaves that list.
import fs from "node:fs";
import path from "node:path";

import { readWorkspace } from "./graph/workspace.mjs";
import { unshownExports } from "./surface/unshown-exports.mjs";

const root = path.resolve(import.meta.dirname, "..");
const listFile = path.join(root, "scripts/surface/not-yet.json");
const listed = JSON.parse(fs.readFileSync(listFile, "utf8"));
const unshown = unshownExports(readWorkspace(root));
const kept = listed.filter((value) => unshown.includes(value));
if (process.argv.includes("--write"))
  fs.writeFileSync(listFile, `${JSON.stringify(kept, undefined, 2)}\n`);

const problems = [
  ...unshown
    .filter((value) => !listed.includes(value))
    .map(
      (value) =>
        `${value} is exported, and no program uses it; show it in a README, or keep it inside`,
    ),
  ...(kept.length < listed.length && !process.argv.includes("--write")
    ? [
        "scripts/surface/not-yet.json lists what is shown; run node scripts/check-surface.mjs --write",
      ]
    : []),
];
for (const problem of problems) console.error(`surface: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(
  `surface: every exported value stands in a program, but for ${kept.length} from before`,
);
