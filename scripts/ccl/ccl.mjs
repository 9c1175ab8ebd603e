#!/usr/bin/env node
// The command line of this clone, `npx -y pnpm@10 ccl <command>`: in this process, so that stdin, signals and the exit
// code are the command's own.
import path from "node:path";

import { buildWhenNeeded } from "../build/build-when-needed.mjs";

const root = path.resolve(import.meta.dirname, "../..");
try {
  buildWhenNeeded(root);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await import("../../packages/cli/dist/ccl.js");
