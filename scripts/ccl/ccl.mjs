#!/usr/bin/env node
// The command line of this clone: `npx -y pnpm@10 ccl <command>` in it, and with `--dir=<clone>` before `ccl` elsewhere.
// The command runs in this process, so it owns stdin, signals and the exit code.
import path from "node:path";

import { buildWhenNeeded } from "../build/build-when-needed.mjs";

const root = path.resolve(import.meta.dirname, "../..");
try {
  buildWhenNeeded(root);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// pnpm runs its commands here, wherever the user called it.
if (process.cwd() === root) process.chdir(process.env.INIT_CWD ?? root);
await import("../../packages/cli/dist/ccl.js");
