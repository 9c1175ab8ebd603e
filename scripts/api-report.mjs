// Writes packages/*/api.md, which lists what each entry exports, as the built type files declare it, without comments.
// With --check, fails if a report is out of date. Reviews read the diff of the reports.
import fs from "node:fs";
import path from "node:path";

import { apiReports } from "./api/api-reports.mjs";
import { readWorkspace } from "./graph/workspace.mjs";

const { packages } = readWorkspace(path.resolve(import.meta.dirname, ".."));
const reports = apiReports(packages.filter((item) => item.entries.length > 0));
const changed = reports.filter(({ file, text }) => {
  return !fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text;
});
if (process.argv.includes("--check")) {
  for (const { name, file, text } of changed) {
    const old = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n") : [];
    const lines = text.split("\n");
    for (const line of old.filter((line) => !lines.includes(line))) console.error(`- ${line}`);
    for (const line of lines.filter((line) => !old.includes(line))) console.error(`+ ${line}`);
    console.error(`api: ${name} exports something else than its api.md says; run pnpm api`);
  }
  if (changed.length > 0) process.exit(1);
} else for (const { file, text } of changed) fs.writeFileSync(file, text);
const total = reports.reduce((sum, report) => sum + report.exports, 0);
console.log(
  `api: ${total} exports in ${reports.length} packages, ${changed.length} reports written`,
);
