// Fails when the packages do not keep to package-graph.json: tiers, imports, declarations, builtins,
// or when a dependency of theirs has no line in ADR 0005.
import path from "node:path";

import { undecidedDependencies } from "./graph/decided-dependencies.mjs";
import { graphProblems } from "./graph/graph-problems.mjs";
import { readWorkspace } from "./graph/workspace.mjs";

const workspace = readWorkspace(path.resolve(import.meta.dirname, ".."));
const problems = [...graphProblems(workspace), ...undecidedDependencies(workspace)];
for (const problem of problems) console.error(`graph: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`graph: ${workspace.packages.length} packages keep to package-graph.json`);
