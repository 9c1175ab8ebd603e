// Checks the size of the built entries, and that those for every platform use no Node-only names.
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { allowedBuiltins } from "../graph/graph-problems.mjs";
import { reachModules } from "../graph/source-module.mjs";
import { ceilingFor } from "../graph/workspace.mjs";

const namesOfNode = [
  "process",
  "Buffer",
  "require",
  "module",
  "__dirname",
  "__filename",
  "global",
  "setImmediate",
];

/** @returns {{ problems: string[], summary: string[] }} */
export function entryLimits({ rows, packages }) {
  const measured = packages.flatMap((item) =>
    builtEntries(item).map((entry) => measureEntry(entry, item, rows[item.name])),
  );
  return {
    problems: measured.flatMap((entry) => entry.problems),
    summary: measured.map((entry) => entry.summary),
  };
}

function builtEntries(item) {
  const bins = item.bins.map((bin) => ({ subpath: "bin", built: path.join(item.directory, bin) }));
  return [...item.entries, ...bins];
}

function measureEntry({ subpath, built }, item, row) {
  const label = `${item.name} ${subpath}`;
  if (!fs.existsSync(built))
    return { problems: [`${label}: ${built} is not built`], summary: `${label}: not built` };
  const modules = [...reachModules([built]).values()];
  const bytes = modules.reduce(
    (sum, module) => sum + gzipSync(fs.readFileSync(module.file)).length,
    0,
  );
  const most = ceilingFor(row.maxGzipBytes, subpath);
  const problems = modules.flatMap((module) =>
    platformProblems(module, { label, allowed: allowedBuiltins(row, subpath) }),
  );
  if (most === undefined) problems.push(`${label}: package-graph.json gives it no maxGzipBytes`);
  else if (bytes > most) problems.push(`${label}: ${bytes} bytes with gzip; at most ${most}`);
  return { problems, summary: `${label}: ${bytes} of ${most} bytes with gzip` };
}

function platformProblems(module, { label, allowed }) {
  if (allowed === undefined) return [];
  const file = path.basename(module.file);
  const builtins = module.imports.filter(
    ({ specifier }) => specifier.startsWith("node:") && !allowed.has(specifier),
  );
  const names = namesOfNode.filter((name) => module.names.has(name));
  return [
    ...builtins.map(
      ({ specifier }) => `${label}: ${file} imports ${specifier}, which only Node has`,
    ),
    ...names.map(
      (name) => `${label}: ${file}:${module.names.get(name)} names ${name}, which only Node has`,
    ),
  ];
}
