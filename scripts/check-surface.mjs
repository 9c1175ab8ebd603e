// Fails for exported values that no program in CI uses.
import path from "node:path";

import { readWorkspace } from "./graph/workspace.mjs";
import { unshownExports } from "./surface/unshown-exports.mjs";

const unshown = unshownExports(readWorkspace(path.resolve(import.meta.dirname, "..")));
for (const value of unshown)
  console.error(
    `surface: ${value} is exported, and no program uses it; show it in a README, or keep it inside`,
  );
if (unshown.length > 0) process.exit(1);
console.log("surface: every exported value stands in a program");
