// Budgets of code fall. Their sum may only rise by the raises that ADR 0003 lists with what they buy.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const graphFile = "package-graph.json";
const decisionFile = "docs/decisions/0003-package-graph.md";
/** Before the decision had this heading, budgets followed the code. */
const ruleHeading = "## Raises";

/**
 * @typedef {{ name: string, maxTokens: Record<string, number>, raises: number }} BudgetVersion The budgets of a commit by package,
 * and the sum of all raises that its decision lists.
 */

/**
 * The budgets in the working tree, then those of each commit that changed them, newest first. @returns
 * {BudgetVersion[]}
 */
export function readBudgetVersions(root) {
  const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
  const now = versionOf("the working tree", read(graphFile), read(decisionFile));
  const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const log = git("log", "--first-parent", "--format=%H", "--", graphFile, decisionFile);
  const versions = [now];
  for (const hash of log.stdout?.split("\n").filter(Boolean) ?? []) {
    const decision = git("show", `${hash}:${decisionFile}`).stdout ?? "";
    if (!decision.includes(ruleHeading)) break;
    versions.push(
      versionOf(hash.slice(0, 8), git("show", `${hash}:${graphFile}`).stdout, decision),
    );
  }
  return versions;
}

/** @returns {BudgetVersion} */
export function versionOf(name, graph, decision) {
  const rows = Object.entries(JSON.parse(graph).packages);
  const [table] = decision.slice(decision.indexOf(ruleHeading)).split(/\n## /);
  const raises = Array.from(
    table.matchAll(/^\| *`?(?:@ccl\/|create-)[\w-]+`? *\| *\+([\d,]+) *\| *\S.*\|/gm),
  );
  return {
    name,
    maxTokens: Object.fromEntries(rows.map(([own, row]) => [own, row.maxTokens ?? 0])),
    raises: raises.reduce((sum, [, tokens]) => sum + Number(tokens.replaceAll(",", "")), 0),
  };
}

/** A sentence for each version whose sum of budgets is larger than the one before. @param {BudgetVersion[]} versions */
export function raiseProblems(versions) {
  return versions.slice(0, -1).flatMap((newer, at) => {
    const older = versions[at + 1];
    const risen = sumOf(newer.maxTokens) - sumOf(older.maxTokens);
    const allowed = newer.raises - older.raises;
    if (risen <= Math.max(0, allowed)) return [];
    const raised = Object.entries(newer.maxTokens)
      .filter(([name, tokens]) => tokens > (older.maxTokens[name] ?? 0))
      .map(([name, tokens]) => `${name} ${older.maxTokens[name] ?? 0} -> ${tokens}`);
    return [
      `${newer.name} raises the budgets of code by ${risen} tokens (${raised.join(", ")}); lower others by as much, or write a line under "${ruleHeading.slice(3)}" in ${decisionFile} that says what they buy`,
    ];
  });
}

export const sumOf = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
