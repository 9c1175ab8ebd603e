// An empty application that installs the tarballs, imports every entry and runs the READMEs' programs.
import fs from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";

import { withInstallBlocks } from "../docs/install-blocks.mjs";
import { pagePrograms } from "../docs/page-programs.mjs";
import { runCommand } from "./run-command.mjs";

/**
 * Creates the application in `directory` and installs `tarballs` (package name to file) and what READMEs and `pages`
 * need.
 */
export function installApp(directory, { tarballs, packages, pages, nodeTypes }) {
  const files = Object.fromEntries(
    Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]),
  );
  const manifest = {
    name: "consumer",
    private: true,
    type: "module",
    dependencies: { ...clientsOf(packages, pages), ...files },
    devDependencies: { "@types/node": nodeTypes },
    // The packages depend on each other by version, and none of these versions is published yet.
    overrides: Object.fromEntries(Object.keys(files).map((name) => [name, `$${name}`])),
  };
  installDependencies(directory, manifest);
}

/** Installs one package with its dependencies, as a user does, and returns the size of all files in bytes. */
export function installAlone(directory, name, tarballs) {
  const overrides = Object.fromEntries(
    Object.entries(tarballs)
      .filter(([other]) => other !== name)
      .map(([other, file]) => [other, `file:${file}`]),
  );
  const dependencies = { [name]: `file:${tarballs[name]}` };
  installDependencies(directory, { name: "alone", private: true, dependencies, overrides });
  return fs
    .readdirSync(path.join(directory, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

export function installDependencies(directory, manifest) {
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(path.join(directory, "package.json"), JSON.stringify(manifest, undefined, 2));
  const flags = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--prefer-offline",
  ];
  runCommand(["npm", "install", ...flags], { cwd: directory });
}

/** Writes the programs of the READMEs and the pages, type-checks them together and returns the files to run. */
export function compileApp(directory, { packages, pages, compiler }) {
  const specifiers = packages.flatMap((item) =>
    item.entries.map((entry) => path.posix.join(item.name, entry.subpath)),
  );
  const shown = shownPrograms(packages, pages);
  const programs = {
    "every-entry": everyEntryProgram(specifiers),
    ...Object.fromEntries(shown.map(({ name, text }) => [name, text])),
  };
  for (const [name, text] of Object.entries(programs))
    fs.writeFileSync(path.join(directory, `${name}.ts`), text);
  const withClients = Object.keys(programs).filter((name) => clientsIn(programs[name]).length > 0);
  const ours = Object.keys(programs).filter((name) => !withClients.includes(name));
  // The types of other vendors may have errors that are not ours to report.
  compile(directory, compiler, { names: ours, skipLibCheck: false, lib: ["es2023"] });
  if (withClients.length > 0)
    compile(directory, compiler, { names: withClients, skipLibCheck: true });
  const common = { name: "every-entry-required", file: path.join(directory, "every-entry.cjs") };
  fs.writeFileSync(
    common.file,
    specifiers.map((specifier) => `require(${JSON.stringify(specifier)});\n`).join(""),
  );
  const compiled = ["every-entry", ...shown.filter(({ runs }) => runs).map(({ name }) => name)];
  const files = compiled.map((name) => ({ name, file: path.join(directory, "out", `${name}.js`) }));
  return { files: [...files, common], shown: shown.length };
}

/** Without `lib`, TypeScript's default applies, in which servers have a browser's `document`. */
function compile(directory, compiler, { names, skipLibCheck, lib }) {
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    skipLibCheck,
    lib,
    types: ["node"],
    outDir: "out",
    rootDir: ".",
  };
  const config = { compilerOptions, files: names.map((name) => `${name}.ts`) };
  fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(config, undefined, 2));
  runCommand([process.execPath, compiler, "-p", directory], { cwd: directory });
}

function everyEntryProgram(specifiers) {
  const imports = specifiers.map(
    (specifier, index) => `import * as entry${index} from ${JSON.stringify(specifier)};`,
  );
  const rows = specifiers.map(
    (specifier, index) => `  [${JSON.stringify(specifier)}, entry${index}],`,
  );
  return `${imports.join("\n")}
import { CclError } from "@ccl/core";

const entries: [string, object][] = [
${rows.join("\n")}
];
for (const [specifier, entry] of entries) {
  const values = Object.entries(entry);
  console.log(specifier + ": " + values.length + " values");
  for (const [name, value] of values) {
    if (typeof value !== "function" || !(value.prototype instanceof Error)) continue;
    const isOurs = value === CclError || value.prototype instanceof CclError;
    if (!isOurs || typeof value.isInstance !== "function") throw new Error(specifier + " throws " + name + ", which is not a CclError");
  }
}
`;
}

function shownPrograms(packages, pages) {
  const readmes = packages
    .filter((item) => fs.existsSync(path.join(item.directory, "README.md")))
    .map((item) => {
      const text = fs.readFileSync(path.join(item.directory, "README.md"), "utf8");
      if (item.entries.length > 0) firstProgram(text, item.name);
      return { name: `readme-of-${path.basename(item.directory)}`, text };
    });
  return [...readmes, ...pages].flatMap(({ name, text }) =>
    pagePrograms(text).map((program, at) => ({ ...program, name: `${name}-${at + 1}` })),
  );
}

/**
 * The clients that READMEs and pages use, such as a database's, and their types, in the versions that the packages are
 * tested with.
 */
function clientsOf(packages, pages) {
  const readmes = packages
    .filter((item) => item.entries.length > 0)
    .flatMap((item) => {
      const readme = fs.readFileSync(path.join(item.directory, "README.md"), "utf8");
      return [...clientsOfPage(readme), ...installedBy(readme)];
    });
  const named = new Set([
    ...readmes,
    ...pages.flatMap((page) => [...clientsOfPage(page), ...installedBy(page)]),
  ]);
  const clients = {};
  for (const name of [...named].flatMap((client) => [client, `@types/${client}`])) {
    const manifest = packages
      .map((item) => path.join(item.directory, "node_modules", name, "package.json"))
      .find((file) => fs.existsSync(file));
    if (manifest !== undefined)
      clients[name] = JSON.parse(fs.readFileSync(manifest, "utf8")).version;
    else if (!name.startsWith("@types/"))
      throw new Error(`No package develops against ${name}, which a README or a page installs.`);
  }
  return clients;
}

/** Third-party packages that a page's first block of commands installs. */
function installedBy(page) {
  const published = withInstallBlocks(page, { isPublished: true });
  const block = /```sh\n([^]*?)```/.exec(published)?.[1] ?? "";
  const lines = Array.from(block.matchAll(/^npm install ([^#\n]*)/gm), ([, names]) => names);
  return lines
    .flatMap((names) => names.trim().split(/\s+/))
    .filter((name) => !name.startsWith("@ccl/") && !name.startsWith("-"));
}

const clientsOfPage = (page) => pagePrograms(page).flatMap(({ text }) => clientsIn(text));

/** Third-party packages that a program imports. */
function clientsIn(program) {
  const specifiers = Array.from(program.matchAll(/from "([^"]+)"/g), ([, specifier]) => specifier);
  const foreign = specifiers.filter(
    (specifier) => !specifier.startsWith("@ccl/") && !isBuiltin(specifier),
  );
  return foreign.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0]);
}

/** The first fenced block marked `ts`. */
export function firstProgram(markdown, name) {
  const [, program] = /^```ts\r?\n([\s\S]*?)^```/m.exec(markdown) ?? [];
  if (program === undefined)
    throw new Error(`README.md of ${name} has no \`\`\`ts block; it shows a program that runs`);
  return program;
}
