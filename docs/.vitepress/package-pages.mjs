// The README of each package is its page.
import fs from "node:fs";
import path from "node:path";

import { siteLink } from "./site-links.mjs";

const folder = path.resolve(import.meta.dirname, "../../packages");

export const packageNames = fs
  .readdirSync(folder)
  .filter((name) => fs.existsSync(path.join(folder, name, "README.md")));

export function packagePages() {
  return packageNames.map((name) => {
    const from = path.join(folder, name);
    const content = fs
      .readFileSync(path.join(from, "README.md"), "utf8")
      .replaceAll(/\]\(([^)\s]+)\)/g, (_, link) => `](${siteLink(from, link)})`);
    return { params: { name }, content };
  });
}
