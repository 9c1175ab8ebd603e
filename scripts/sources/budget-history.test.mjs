import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { expect, it } from "vitest";

import { raiseProblems, readBudgetVersions, versionOf } from "./budget-history.mjs";

const graph = (tokens) =>
  JSON.stringify({
    packages: Object.fromEntries(
      Object.entries(tokens).map(([name, maxTokens]) => [`@ccl/${name}`, { maxTokens }]),
    ),
  });
const decision = (...lines) => `# The graph\n\n## Raises\n\n${lines.join("\n")}\n\n## Rejected\n`;
const bought = "| `@ccl/left` | +1,200 | reads Gemini's wire |";
const problemsOf = (newer, older, lines = []) =>
  raiseProblems([
    versionOf("now", graph(newer), decision(...lines)),
    versionOf("before", graph(older), decision()),
  ]);

it("rejects a raise, and says what to do", () => {
  expect(problemsOf({ left: 2_200, right: 500 }, { left: 1_000, right: 500 })).toEqual([
    expect.stringMatching(
      /^now raises the budgets of code by 1200 tokens \(@ccl\/left 1000 -> 2200\); lower others by as much, or write a line under "Raises"/,
    ),
  ]);
});

it("accepts a raise if another package falls or the decision lists it", () => {
  expect(problemsOf({ left: 1_100, right: 400 }, { left: 1_000, right: 500 })).toEqual([]);
  expect(problemsOf({ left: 2_200 }, { left: 1_000 }, [bought])).toEqual([]);
  expect(problemsOf({ left: 2_201 }, { left: 1_000 }, [bought])).toHaveLength(1);
  // A line without a reason does not count, and a new package is a raise.
  expect(
    problemsOf({ left: 2_200 }, { left: 1_000 }, ["| `@ccl/left` | +1,200 |  |"]),
  ).toHaveLength(1);
  expect(problemsOf({ left: 1_000, fresh: 1 }, { left: 1_000 })).toHaveLength(1);
});

it("finds a raise in an earlier commit, and stops where the rule starts", () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-budgets-"));
  const git = (...args) => {
    const { status, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  const write = (tokens, text) => {
    fs.writeFileSync(path.join(root, "package-graph.json"), graph(tokens));
    fs.mkdirSync(path.join(root, "docs/decisions"), { recursive: true });
    fs.writeFileSync(path.join(root, "docs/decisions/0003-package-graph.md"), text);
    git("add", "-A");
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    git(...author, "commit", "-qm", "change", "--allow-empty");
  };
  try {
    git("init", "-q");
    write({ left: 10 }, "# The graph");
    write({ left: 900 }, "# The graph");
    write({ left: 1_000 }, decision());
    write({ left: 1_100 }, decision());
    write({ left: 900 }, decision());
    const problems = raiseProblems(readBudgetVersions(root));
    expect(problems).toEqual([expect.stringContaining("by 100 tokens (@ccl/left 1000 -> 1100)")]);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
});
