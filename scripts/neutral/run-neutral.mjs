// Imports a bundle as a browser would: without what only Node has. Started by neutral-entries.mjs.
import { pathToFileURL } from "node:url";

import { programs } from "./neutral-programs.mjs";

const [, , file, name] = process.argv;
const { exit } = process;
const url = pathToFileURL(file).href;
for (const global of ["process", "Buffer", "global", "setImmediate", "clearImmediate"])
  delete globalThis[global];
const entry = await import(url);
try {
  await programs[name]?.(entry);
} catch (error) {
  console.error(error);
  exit(1);
}
