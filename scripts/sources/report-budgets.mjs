// Reports the amount of code next to its budgets and goals.
import fs from "node:fs";
import path from "node:path";

import ts from "typescript";

import { nameOfFolder } from "../graph/workspace.mjs";
import { sumOf } from "./budget-history.mjs";

/**
 * A table of the packages, then the totals.
 * @param {Record<string, number>} counts Tokens of code by the name of the package's folder.
 * @param {{ root: string, rows: Record<string, { maxTokens?: number }>, goals: { packages: string[], tokens: number }[], versions: import("./budget-history.mjs").BudgetVersion[] }} context
 * @returns {string[]}
 */
export function reportBudgets(counts, { root, rows, goals, versions }) {
  const first = versions.at(-1).maxTokens;
  const table = Object.entries(counts).map(([folder, tokens]) => {
    const name = nameOfFolder(folder);
    const max = rows[name].maxTokens;
    return [folder, tokens, max, signed(max - (first[name] ?? 0)), goalOf(name, goals)];
  });
  const total = sumOf(counts);
  const budget = Object.values(rows).reduce((sum, { maxTokens }) => sum + (maxTokens ?? 0), 0);
  const head = ["tokens of code", "now", "at most", "since budgets fall", "goal"];
  const sum = ["all", total, budget, signed(budget - sumOf(first)), ""];
  const beside = ["packages", "bench", "scripts", "examples"]
    .map((name) => `${name} ${countOthers(path.join(root, name), name === "packages")}`)
    .join(", ");
  return [
    ...columns([head, ...table, sum]),
    `beside it, not limited, about: tests of ${beside} tokens`,
  ];
}

const signed = (count) => (count > 0 ? `+${count}` : String(count));

function goalOf(name, goals) {
  const goal = goals.find(({ packages }) => packages.includes(name));
  if (goal === undefined) return "";
  const { length } = goal.packages;
  return length === 1 ? String(goal.tokens) : `${goal.tokens} for ${length} packages`;
}

function columns(lines) {
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => `${line[at]}`.length)));
  return lines.map((line) =>
    line
      .map((cell, at) =>
        at === 0 || at === line.length - 1
          ? `${cell}`.padEnd(widths[at])
          : `${cell}`.padStart(widths[at]),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** Counts tokens with a scanner. It splits templates and regular expressions differently than a parser does. */
function countOthers(folder, isTestOnly) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true);
  const isOther = (file) =>
    isTestOnly
      ? /\.test(-d)?\.ts$|\/(__fixtures__|testing|test-support)\/.*\.ts$/.test(file)
      : true;
  let count = 0;
  const walk = (place) => {
    for (const entry of fs.readdirSync(place, { withFileTypes: true })) {
      const file = path.join(place, entry.name);
      if (entry.isDirectory()) {
        if (!/^(node_modules|dist|\..*)$/.test(entry.name)) walk(file);
      } else if (/\.m?[jt]sx?$/.test(entry.name) && isOther(file.replaceAll("\\", "/"))) {
        scanner.setText(fs.readFileSync(file, "utf8"));
        while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) count++;
      }
    }
  };
  walk(folder);
  return count;
}
