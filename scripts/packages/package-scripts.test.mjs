import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** The commands of scripts whose program is a file that does not exist. */
function commandsWithoutProgram(folder, scripts) {
  return Object.values(scripts).filter((command) =>
    [...command.matchAll(/\bnode (?:--\S+ )*([\w./-]+\.m?[jt]s)\b/g)].some(
      ([, program]) => !/\bdist\//.test(program) && !fs.existsSync(path.join(folder, program)),
    ),
  );
}

it("finds a script whose program is gone", () => {
  const scripts = { build: "node ./gone.mjs .", lint: "oxlint", test: "node scripts/build.mjs" };
  expect(commandsWithoutProgram(root, scripts)).toEqual(["node ./gone.mjs ."]);
});

it("finds no such script in a package of the workspace", () => {
  const files = execFileSync("git", ["ls-files", "package.json", "*/package.json"], { cwd: root });
  const manifests = String(files).trim().split("\n");
  expect(manifests.length).toBeGreaterThan(20);
  const found = manifests.flatMap((file) => {
    const { scripts = {} } = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
    const gone = commandsWithoutProgram(path.join(root, path.dirname(file)), scripts);
    return gone.map((command) => `${file}: ${command}`);
  });
  expect(found).toEqual([]);
});
