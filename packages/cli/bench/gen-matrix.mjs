// "node packages/cli/bench/gen-matrix.mjs" runs ccl gen against every server behaviour that providers knows, over three
// wire formats. Each run must finish, or fail with a code in bounded time and with unchanged files. Build first.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { build } from "esbuild";

const folder = path.join(import.meta.dirname, "../node_modules/.gen-matrix");
const outfile = path.join(folder, "gen-matrix.mjs");
await build({
  entryPoints: [path.join(import.meta.dirname, "gen-matrix.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["@ccl/source"],
});
const program = path.join(import.meta.dirname, "../dist/ccl.js");
spawnSync(process.execPath, [outfile, program], { stdio: "inherit" });
fs.rmSync(folder, { recursive: true });
