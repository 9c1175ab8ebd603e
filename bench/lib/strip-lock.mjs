// Removes funding addresses from package-lock.json, which npm writes there and never reads, so that no address stays in
// it.
import fs from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(fs.readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) delete entry.funding;
const text = `${JSON.stringify(lock, undefined, 2)}\n`;
if (/https?:\/\//.test(text))
  throw new Error("package-lock.json still holds an address; see bench/.npmrc");
fs.writeFileSync(file, text);
