// Checks the packages against package-graph.json (tiers, imports, declarations, builtins). Also fails for dependencies
// that no decision names, duplicate functions, files and folders that import each other, words that the field does not
// use, code beyond its budget, rising budgets, and error codes that no test names. With --write, removes fixed findings
// from scripts/sources/ratchet.json and lowers the budgets. With --all, lists large functions.
import fs from "node:fs";
import path from "node:path";

import { undecidedDependencies } from "./graph/decided-dependencies.mjs";
import { graphProblems } from "./graph/graph-problems.mjs";
import { nameOfFolder, readWorkspace } from "./graph/workspace.mjs";
import { raiseProblems, readBudgetVersions } from "./sources/budget-history.mjs";
import { reportBudgets } from "./sources/report-budgets.mjs";
import { readSources } from "./sources/read-sources.mjs";
import {
  initialRatchet,
  lowerRatchet,
  sourceProblems,
  tokensByPackage,
  tooLarge,
} from "./sources/source-problems.mjs";
import { untestedCodes } from "./sources/untested-codes.mjs";

const root = path.resolve(import.meta.dirname, "..");
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
const ratchetFile = "scripts/sources/ratchet.json";

const workspace = readWorkspace(root);
const sources = readSources(root);
const allowedTwins = readJson("scripts/twins-allowed.json");
let ratchet = fs.existsSync(path.join(root, ratchetFile))
  ? readJson(ratchetFile)
  : initialRatchet(sources);
if (process.argv.includes("--write")) {
  ratchet = lowerRatchet(sources, { ratchet, allowedTwins });
  fs.writeFileSync(path.join(root, ratchetFile), `${JSON.stringify(ratchet, undefined, 2)}\n`);
  lowerBudgets(tokensByPackage(sources));
}

const { packages: rows, goals } = readJson("package-graph.json");
const versions = readBudgetVersions(root);
const problems = [
  ...graphProblems(workspace).map((problem) => `graph: ${problem}`),
  ...undecidedDependencies(workspace).map((problem) => `graph: ${problem}`),
  ...sourceProblems(sources, { ratchet, allowedTwins, rows }),
  ...raiseProblems(versions),
  ...untestedCodes(root),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

for (const line of reportBudgets(tokensByPackage(sources), { root, rows, goals, versions }))
  console.log(line);
const words = Object.values(ratchet.words).reduce((sum, count) => sum + count, 0);
if (process.argv.includes("--all")) for (const line of tooLarge(sources)) console.log(line);
console.log(
  `${workspace.packages.length} packages keep to package-graph.json; ${tooLarge(sources).length} files and functions above their size (--all lists them); left from before: ${ratchet.twins.length} twins, ${ratchet.cycles.length} circles of files, ${ratchet.folders.length} pairs of folders, ${words} words`,
);

/** Sets each budget to the current size, and keeps the format of the text. */
function lowerBudgets(counts) {
  const file = path.join(root, "package-graph.json");
  let text = fs.readFileSync(file, "utf8");
  for (const [folder, tokens] of Object.entries(counts))
    text = text.replace(
      new RegExp(`("${nameOfFolder(folder)}": \\{[^}]*?"maxTokens": )(\\d+)`),
      (whole, head, max) => (tokens < Number(max) ? `${head}${tokens}` : whole),
    );
  fs.writeFileSync(file, text);
}
