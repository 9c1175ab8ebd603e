// What Repomix writes for a folder, with and without --compress: its files in its own order, with their lines.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const command =
  process.env["REPOMIX"] ?? join(import.meta.dirname, "../node_modules/repomix/bin/repomix.cjs");
const node = process.env["REPOMIX_NODE"] ?? process.execPath;

/** `[path, lines]` of each file by variant. Empty if the libraries are not installed. */
export function repomixFiles(root) {
  if (!existsSync(command)) return [];
  const run = (...flags) =>
    execFileSync(
      node,
      [command, root, "--style", "plain", "--stdout", "--no-security-check", ...flags],
      {
        encoding: "utf8",
        maxBuffer: 1 << 28,
      },
    );
  return [
    ["repomix", filesOf(run())],
    ["repomix --compress", filesOf(run("--compress"))],
  ];
}

function filesOf(text) {
  const files = [];
  let isHeader = false;
  for (const line of text.split("\n")) {
    const path = isHeader ? /^File: (.+)$/.exec(line)?.[1] : undefined;
    isHeader = /^={16}$/.test(line);
    if (path !== undefined) files.push([path, []]);
    else if (!isHeader) files.at(-1)?.[1].push(line);
  }
  return files;
}
