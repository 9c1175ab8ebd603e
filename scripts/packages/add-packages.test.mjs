import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { addPackages, closureOf, managerOf } from "./add-packages.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

function folderWith(...names) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-add-"));
  folders.push(folder);
  for (const name of names) fs.writeFileSync(path.join(folder, name), "");
  return folder;
}

const packageOf = (name, dependencies = {}) => ({ name, manifest: { dependencies } });
const packages = [
  packageOf("@ccl/core"),
  packageOf("@ccl/search", { "@ccl/core": "workspace:^", porter2: "1" }),
  packageOf("@ccl/compress", { "@ccl/search": "workspace:^" }),
  packageOf("@ccl/sql", { "@ccl/core": "workspace:^" }),
];

describe("closureOf", () => {
  it("contains exactly the packages of ours that a package needs, at any depth", () => {
    const names = closureOf(["@ccl/compress", "pg"], packages).map(({ name }) => name);
    expect(names).toEqual(["@ccl/compress", "@ccl/search", "@ccl/core"]);
  });

  it("rejects an unknown package of ours, and names the existing ones", () => {
    expect(() => closureOf(["@ccl/cor"], packages)).toThrow(/no @ccl\/cor; there are @ccl\/core, /);
  });
});

describe("managerOf", () => {
  it.each([
    ["npm", [], {}],
    ["pnpm", ["pnpm-lock.yaml"], {}],
    ["yarn", ["yarn.lock"], {}],
    ["bun", ["bun.lock"], {}],
    ["yarn", ["pnpm-lock.yaml"], { packageManager: "yarn@4.1.0" }],
  ])("is %s in a folder with %j and %j", (expected, files, manifest) => {
    expect(managerOf(folderWith(...files), manifest)).toBe(expected);
  });
});

describe("addPackages", () => {
  it("rejects a folder without a project before it packs anything", () => {
    const folder = folderWith();
    const add = () => addPackages({ root: folder, packages }, { folder, names: ["@ccl/core"] });
    expect(add).toThrow(/has no package.json; write one there with: npm init -y/);
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
