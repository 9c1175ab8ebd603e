// Fails when the packages do not keep to package-graph.json: tiers, imports, declarations, builtins.
import path from "node:path";

import { graphProblems } from "./graph/graph-problems.mjs";
import { readWorkspace } from "./graph/workspace.mjs";

const workspace = readWorkspace(path.resolve(import.meta.dirname, ".."));
const problems = graphProblems(workspace);
for (const problem of problems) console.error(`graph: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`graph: ${workspace.packages.length} packages keep to package-graph.json`);
