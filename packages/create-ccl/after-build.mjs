// Builds the templates: examples of this repository as separate projects, with additional files for some servers.
import fs from "node:fs";
import path from "node:path";

import { copyExample } from "../../scripts/packages/copy-example.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const site = "https://github.com/ccl-dev/ccl/blob/main/";
const templates = {
  chat: ["web-chat", "A chat in a browser that shows what its window holds"],
  "chat-hono": ["web-chat", "The same chat as a route of Hono", "hono"],
  "chat-next": ["web-chat", "The same chat as a route of Next", "next"],
  agent: ["coding-agent", "An agent that changes a repository, with checks that must pass"],
  data: ["data-analyst", "Questions over databases, APIs and functions"],
  store: ["custom-store", "Your own artifact store, and the kit that tries to break it"],
};

for (const [name, [example, description, variant]] of Object.entries(templates)) {
  const folder = path.join(import.meta.dirname, "dist/templates", name);
  const manifest = copyExample(path.join(root, "examples", example), folder, versionOf);
  const { lint: _, types: __, start, chat = start, ...rest } = manifest.scripts;
  // An example that opens a page is started by `chat`; its `start` checks the page without a browser.
  const scripts = chat === start ? { ...rest, start } : { ...rest, chat, start: chat, test: start };
  let own = { ...manifest, description, scripts };
  const compiler = path.join(folder, "tsconfig.json");
  if (fs.existsSync(compiler)) {
    fs.writeFileSync(compiler, compilerOptions());
    own.devDependencies["@types/node"] = "^20.19.0";
  }
  if (variant !== undefined) own = addVariant(folder, own, variant);
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(own, undefined, 2)}\n`);
  const readme = fs.readFileSync(path.join(folder, "README.md"), "utf8");
  fs.writeFileSync(path.join(folder, "README.md"), readme.replaceAll("](../../", `](${site}`));
}

/** All packages have one version, and a template of that version depends on it. */
function versionOf(name) {
  if (!name.startsWith("@ccl/")) return undefined;
  const file = path.join(import.meta.dirname, "package.json");
  return `^${JSON.parse(fs.readFileSync(file, "utf8")).version}`;
}

/** Copies a variant's files over the template's. Its package.json says what it adds. */
function addVariant(folder, manifest, variant) {
  const source = path.join(import.meta.dirname, "variants", variant);
  const added = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"));
  fs.cpSync(source, folder, { recursive: true });
  return {
    ...manifest,
    scripts: { ...manifest.scripts, ...added.scripts },
    dependencies: { ...manifest.dependencies, ...added.dependencies },
  };
}

function compilerOptions() {
  const base = path.join(root, "tsconfig.base.json");
  const { compilerOptions: all } = JSON.parse(fs.readFileSync(base, "utf8"));
  const { customConditions: _, isolatedDeclarations: __, declaration: ___, ...own } = all;
  return `${JSON.stringify({ compilerOptions: own, include: ["src"] }, undefined, 2)}\n`;
}
