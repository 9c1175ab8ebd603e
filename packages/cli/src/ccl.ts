#!/usr/bin/env node
import * as nodeModule from "node:module";

// Caches the compiled code of all later imports in the system's temporary folder. Since Node 22.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function") {
  nodeModule.enableCompileCache();
}
const { runCli } = await import("./run-cli.ts");
process.exitCode = await runCli(process.argv.slice(2), process);
