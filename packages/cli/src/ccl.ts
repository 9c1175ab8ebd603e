#!/usr/bin/env node
import * as nodeModule from "node:module";

// Keeps the compiled code of what is imported from here on in the system's folder for temporary files; since Node 22.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function") {
  nodeModule.enableCompileCache();
}
const { runCli } = await import("./run-cli.ts");
process.exitCode = await runCli(process.argv.slice(2), process);
