// node scripts/stranger.mjs [--published] [page ...]: runs what pages print, as a reader without our files would: in an
// environment with only PATH, an empty home without caches, a fresh clone of the committed state, and for each page a
// folder made by `npm init`. With --published, it first publishes the release to a registry on loopback, which gets
// everything else from the machine's registry, and uses the pages of that release. It prints how long each page takes.
// It fails for a failing command, a warning, an output that differs from the page, or more than two minutes to a page's
// first result. The controls are mistakes that pages once had, and each must be found.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { openReleaseRegistry } from "./release/release-registry.mjs";

const root = path.resolve(import.meta.dirname, "..");
const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "stranger-"));
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const maxSeconds = 120;
/** Commands that need neither an agent, a server nor a repository. */
const isForAnyone =
  / add-to | create-ccl |^npm (?:install|create) |^(?:npx @ccl\/cli|npx -y pnpm@10 --dir=\.\.\/ccl ccl) (?:status|pack --task)(?!.* --(?:copy|stdin|remote))/;
/** What a third-party package prints on Node 20 until it drops it, and what npx prints instead of its question. */
const known = /NodeVersionSupportWarning|--trace-warnings|exec The following package was not found/;
const environment = emptyEnvironment();
const clone = path.join(temporary, "ccl");
const isPublished = process.argv.includes("--published");
const asked = process.argv.slice(2).filter((word) => word !== "--published");

type(["git", "clone", "--quiet", root, clone], temporary);
const rows = [];
if (isPublished) {
  const from = environment.npm_config_registry;
  environment.npm_config_registry = await openReleaseRegistry({ clone, temporary, from });
} else {
  rows.push(["the clone: npx -y pnpm@10 demo", [type(["npx", "-y", "pnpm@10", "demo"], clone)]]);
}
const guides = fs.readdirSync(path.join(clone, "docs/guides")).map((name) => `docs/guides/${name}`);
const readmes = fs
  .readdirSync(path.join(clone, "packages"))
  .map((name) => `packages/${name}/README.md`);
const isAsked = (page) => asked.length === 0 || asked.some((word) => page.includes(word));
const pages = ["README.md", ...guides, ...readmes].filter(
  (page) => isAsked(page) && firstOf(page) !== undefined,
);
for (const page of pages) rows.push([page, tryPage(page)]);
let failures = 0;
for (const [name, steps] of rows) {
  const faults = steps.flatMap((step) => step.faults);
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  if (seconds > maxSeconds) faults.push(`${seconds} s to the first result, and not ${maxSeconds}`);
  failures += faults.length === 0 ? 0 : 1;
  console.log(
    `${name.padEnd(46)} ${String(seconds).padStart(4)} s  ${faults.length === 0 ? "ok" : faults.join("; ")}`,
  );
}
const missed = controls().filter(([, step]) => step.faults.length === 0);
for (const [name] of missed) console.log(`control not found: ${name}`);
console.log(
  `node ${process.version}: ${rows.length} pages, ${failures} with faults; ${missed.length} controls missed`,
);
process.exitCode = failures + missed.length === 0 ? 0 : 1;

/** Runs the page's install commands, then its first program, in a new folder next to the clone. */
function tryPage(page) {
  const folder = newFolder(page);
  const { commands, program, output } = firstOf(page);
  const installs = commands.filter((command) => !/\bonly\b/.test(command));
  const steps = installs.map((command) => type(["bash", "-c", command], folder));
  const created = path.join(folder, "my-chat");
  if (fs.existsSync(created))
    for (const word of isPublished ? ["install", "test"] : ["test"])
      steps.push(type(["npm", word], created));
  if (program === undefined) return steps;
  fs.writeFileSync(path.join(folder, "main.mts"), program);
  const run = type(["npx", "-y", "tsx", "main.mts"], folder);
  if (output !== undefined && run.printed.trim() !== output.trim())
    run.faults.push(`prints ${JSON.stringify(run.printed.slice(0, 200))}`);
  return [...steps, run];
}

function firstOf(page) {
  // A program that starts with code the reader already has does not run alone.
  const markdown = fs
    .readFileSync(path.join(clone, page), "utf8")
    .replaceAll(/^<!-- given\n[^]*?^-->\n\n```ts\n[^]*?^```$/gm, "");
  const blocks = markdown.matchAll(/<!-- install: begin -->[^]*?^```sh\n([^]*?)^```$/gm);
  const commands = Array.from(blocks).flatMap(([, block]) => block.trim().split("\n"));
  const typed = commands.filter((line) => isForAnyone.test(line));
  if (typed.length === 0) return undefined;
  return {
    commands: typed,
    program: /^```ts\n([^]*?)^```$/m.exec(markdown)?.[1],
    output: /^```ts\n[^]*?^```\n\n```(?:text)?\n([^]*?)^```/m.exec(markdown)?.[1],
  };
}

function controls() {
  const folder = newFolder("control");
  fs.writeFileSync(path.join(folder, "main.ts"), "console.log(await Promise.resolve(1));\n");
  const example = path.join(temporary, "copied");
  fs.cpSync(path.join(clone, "examples/web-chat"), example, {
    recursive: true,
    filter: (file) => !file.includes("node_modules"),
  });
  const manifest = { name: "old", version: "1.0.0", engines: { node: ">=99" } };
  fs.mkdirSync(path.join(folder, "old"));
  fs.writeFileSync(path.join(folder, "old/package.json"), JSON.stringify(manifest));
  const pnpm = ["npx", "-y", "pnpm@10", "install"];
  const withScript = newFolder("script");
  const script = { name: "script", version: "1.0.0", scripts: { install: "node -v" } };
  writeManifests(withScript, { dependencies: { script: "file:./used" } }, script);
  const withoutBuild = newFolder("unbuilt");
  const unbuilt = { name: "unbuilt", version: "1.0.0", bin: "./dist/unbuilt.js" };
  writeManifests(withoutBuild, { dependencies: { unbuilt: "workspace:^" } }, unbuilt);
  fs.writeFileSync(path.join(withoutBuild, "pnpm-workspace.yaml"), "packages: [used]\n");
  const unknown = isPublished ? "@ccl/no-such" : "@ccl/compress";
  return [
    ["a package that the registry does not have", type(["npm", "install", unknown], folder)],
    [
      "a program that waits at its top level, as .ts in a folder of CommonJS",
      type(["npx", "-y", "tsx", "main.ts"], folder),
    ],
    ["an example that names packages of a workspace", type(["npm", "install"], example)],
    ["a package for a newer Node", type(["npm", "install", "./old"], folder)],
    ["a package that wants to run a script when it is installed", type(pnpm, withScript)],
    ["a command of the workspace that no build has made", type(pnpm, withoutBuild)],
  ];
}

/** A project, and a package in its folder `used`. */
function writeManifests(folder, project, used) {
  fs.mkdirSync(path.join(folder, "used"));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(project));
  fs.writeFileSync(path.join(folder, "used/package.json"), JSON.stringify(used));
}

/** Runs one command. Returns how long it took and what would irritate a reader. */
function type([file, ...parameters], cwd) {
  const startedAt = performance.now();
  const { status, stdout, stderr, error } = spawnSync(file, parameters, {
    cwd,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (error?.code === "ETIMEDOUT")
    return { seconds, printed: stdout, faults: [`no end: ${[file, ...parameters].join(" ")}`] };
  if (error !== undefined) throw error;
  const warnings = Array.from(
    `${stdout}${stderr}`.matchAll(/^.*(?:\bwarn(?:ing)?\b|approve-builds|\b404\b).*$/gim),
    ([line]) => line,
  ).filter((line) => !known.test(line));
  const faults = warnings.slice(0, 3).map((line) => line.trim().slice(0, 160));
  if (status !== 0) faults.push(`exit code ${status}: ${stderr.trim().slice(-300)}`);
  return { seconds, printed: stdout, faults };
}

function newFolder(name) {
  const folder = path.join(temporary, name.replaceAll(/\W+/g, "-").toLowerCase());
  fs.mkdirSync(folder);
  type(["npm", "init", "-y"], folder);
  return folder;
}

/** An environment with access to a registry, and without anything that npm, pnpm or we keep between runs. */
function emptyEnvironment() {
  const home = path.join(temporary, "home");
  fs.mkdirSync(home);
  const registry = spawnSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
  }).stdout.trim();
  const kept = [
    "PATH",
    "LANG",
    "TMPDIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
  ];
  const own = Object.fromEntries(kept.map((name) => [name, process.env[name]]));
  return { ...own, HOME: home, npm_config_registry: registry, npm_config_update_notifier: "false" };
}
