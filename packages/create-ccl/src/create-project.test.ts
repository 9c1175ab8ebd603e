import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, expect, it } from "vitest";

import { createProject, listTemplates } from "./create-project.ts";

const parent = fs.mkdtempSync(path.join(os.tmpdir(), "create-ccl-"));
afterAll(() => fs.rmSync(parent, { recursive: true, force: true }));
const store = path.join(parent, "templates");
for (const name of ["chat", "store"]) {
  fs.mkdirSync(path.join(store, name, "src"), { recursive: true });
  fs.writeFileSync(path.join(store, name, "src/main.mjs"), `console.log("${name}");\n`);
  const manifest = { name: `example-${name}`, description: `A ${name}`, scripts: { start: "x" } };
  fs.writeFileSync(path.join(store, name, "package.json"), JSON.stringify(manifest));
}
const templates = pathToFileURL(`${store}/`);

it("lists what there is with its description", () => {
  expect(listTemplates(templates)).toEqual([
    { name: "chat", description: "A chat" },
    { name: "store", description: "A store" },
  ]);
});

it.each([
  ["my-chat", "my-chat"],
  ["My Chat!", "my-chat"],
  ["чат", "chat"],
])("writes a template into %j as the package %j", (folder, name) => {
  const target = path.join(parent, folder);
  expect(createProject(templates, { template: "chat", folder: target })).toEqual({ files: 3 });
  expect(JSON.parse(fs.readFileSync(path.join(target, "package.json"), "utf8"))).toEqual({
    name,
    description: "A chat",
    scripts: { start: "x" },
  });
  expect(fs.readFileSync(path.join(target, ".gitignore"), "utf8")).toContain("node_modules");
});

it("leaves a folder with anything in it alone, but for a new repository", () => {
  const target = path.join(parent, "taken");
  fs.mkdirSync(path.join(target, ".git"), { recursive: true });
  fs.writeFileSync(path.join(target, "mine.txt"), "mine");
  const create = () => createProject(templates, { template: "chat", folder: target });
  expect(create).toThrow("is not empty. Name a new folder: npm create ccl chat <new>");
  expect(fs.readdirSync(target).sort()).toEqual([".git", "mine.txt"]);
  fs.rmSync(path.join(target, "mine.txt"));
  expect(create().files).toBe(3);
});

it("names the templates when it is asked for another, and for a path as one", () => {
  for (const template of ["chats", "../templates/chat", ""])
    expect(() =>
      createProject(templates, { template, folder: path.join(parent, "unborn") }),
    ).toThrow(`Unknown template "${template}". Known templates: chat, store`);
  expect(fs.existsSync(path.join(parent, "unborn"))).toBe(false);
});
