// Fails if a page says that packages come from npm although they do not, or the reverse. With --write, corrects the
// pages. The packages have version 0.0.0 until the first release, which changes the answer.
import fs from "node:fs";
import path from "node:path";

import { commandsOutsideBlocks, withInstallBlocks } from "./docs/install-blocks.mjs";
import { readWorkspace } from "./graph/workspace.mjs";

const root = path.resolve(import.meta.dirname, "..");
const { packages } = readWorkspace(root);
const isPublished = packages.every(({ manifest }) => manifest.version !== "0.0.0");
const readmes = packages.map(({ directory }) => path.join(directory, "README.md"));
const pages = [path.join(root, "README.md"), ...readmes, ...pagesIn(path.join(root, "docs"))];

const problems = pages.flatMap((file) => {
  const name = path.relative(root, file);
  const text = fs.readFileSync(file, "utf8");
  const wanted = withInstallBlocks(text, { isPublished });
  const isWritten = process.argv.includes("--write") && wanted !== text;
  if (isWritten) fs.writeFileSync(file, wanted);
  const bare = commandsOutsideBlocks(text).map(
    (command) => `${name}: "${command}" stands in no block of install: begin and install: end`,
  );
  return wanted === text || isWritten
    ? bare
    : [...bare, `${name}: run node scripts/install-blocks.mjs --write`];
});
for (const problem of problems) console.error(`pages: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(
  `pages: ${pages.length} say that the packages come from ${isPublished ? "npm" : "a clone"}`,
);

function pagesIn(folder) {
  return fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".md") && !/node_modules|\.vitepress|^public|^api/.test(file))
    .map((file) => path.join(folder, file));
}
