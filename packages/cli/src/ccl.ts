import * as nodeModule from "node:module";
import { isatty } from "node:tty";

import { ignoreClosedPipe } from "./output/ignore-closed-pipe.ts";
import { recallPrint } from "./print/recall-print.ts";

const args = process.argv.slice(2);
// On a terminal the pack has a summary, for which the whole tree is looked over.
const printed = isatty(2) ? undefined : recallPrint(args, process);
if (printed !== undefined) {
  ignoreClosedPipe(process.stdout);
  process.stdout.write(printed);
} else {
  // Keeps the compiled code of what is imported from here on in the system's folder for temporary files; since Node 22.
  if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function") {
    nodeModule.enableCompileCache();
  }
  const { runCli } = await import("./run-cli.ts");
  process.exitCode = await runCli(args, process);
}
