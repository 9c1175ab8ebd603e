// Fails on functions that stand twice, circles of imports, words that are not the field's, code beyond its budget,
// and codes of errors that no test names.
// With --write, what was improved leaves scripts/sources/ratchet.json, the list of what was there before the checks.
import fs from "node:fs";
import path from "node:path";

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

const sources = readSources(root);
const allowedTwins = readJson("scripts/twins-allowed.json");
let ratchet = fs.existsSync(path.join(root, ratchetFile))
  ? readJson(ratchetFile)
  : initialRatchet(sources);
if (process.argv.includes("--write")) {
  ratchet = lowerRatchet(sources, { ratchet, allowedTwins });
  fs.writeFileSync(path.join(root, ratchetFile), `${JSON.stringify(ratchet, undefined, 2)}\n`);
}

const { packages: rows } = readJson("package-graph.json");
const problems = [
  ...sourceProblems(sources, { ratchet, allowedTwins, rows }),
  ...untestedCodes(root),
];
for (const problem of problems) console.error(`sources: ${problem}`);
if (problems.length > 0) process.exit(1);

const budgets = Object.entries(tokensByPackage(sources)).map(
  ([folder, tokens]) => `${folder} ${tokens} of ${rows[`@ccl/${folder}`].maxTokens}`,
);
const words = Object.values(ratchet.words).reduce((sum, count) => sum + count, 0);
if (process.argv.includes("--all")) for (const line of tooLarge(sources)) console.log(line);
console.log(`sources: tokens of code: ${budgets.join(", ")}`);
console.log(
  `sources: ${tooLarge(sources).length} files and functions above their size (--all lists them); left from before: ${ratchet.twins.length} twins, ${ratchet.cycles.length} circles, ${words} words`,
);
