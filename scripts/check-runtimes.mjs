// node scripts/check-runtimes.mjs [name ...]: imports every entry in Bun and Deno, and the neutral ones in workerd and
// in a page that Vite bundled. Bundles these with webpack, and calls a Next route with all packages. The runtimes come
// from npm. A runtime that cannot be installed here is skipped with the reason.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { readWorkspace } from "./graph/workspace.mjs";
import { bundleNeutralEntry, neutralEntries } from "./neutral/neutral-entries.mjs";
import { runCommand } from "./packages/run-command.mjs";
import { runNext } from "./runtimes/run-next.mjs";
import { runVite } from "./runtimes/run-vite.mjs";

const workspace = readWorkspace(path.resolve(import.meta.dirname, ".."));
const programs = path.join(import.meta.dirname, "neutral/neutral-programs.mjs");
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "ccl-ci");
const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-runtimes-"));
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true }));

const runtimes = {
  bun: { packages: ["bun@1"], run: () => runEntries([binary("@oven", "bun"), "run"]) },
  deno: {
    packages: ["deno@2"],
    run: () =>
      runEntries([
        binary("@deno", "deno"),
        "run",
        "--allow-all",
        "--no-lock",
        "--node-modules-dir=manual",
      ]),
  },
  workerd: { packages: ["workerd@1"], run: runWorkerd },
  webpack: { packages: ["webpack@5"], run: runWebpack },
  vite: { packages: ["vite@8"], run: (folder) => runVite(folder, workspace) },
  next: { packages: [], run: (folder) => runNext(folder, workspace) },
};

const given = process.argv.slice(2);
let failed = 0;
for (const name of given.length > 0 ? given : Object.keys(runtimes)) {
  const folder = path.join(cache, name);
  const reason = install(folder, runtimes[name].packages);
  if (reason !== undefined) {
    console.log(`runtimes: ${name}: skipped, ${reason}`);
    continue;
  }
  try {
    console.log(`runtimes: ${name}: ${await runtimes[name].run(folder)}`);
  } catch (error) {
    failed += 1;
    console.error(`runtimes: ${name}: FAILED\n${error.message}`);
  }
}
process.exit(failed === 0 ? 0 : 1);

function install(folder, packages) {
  fs.mkdirSync(folder, { recursive: true });
  if (packages.length === 0) return undefined;
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  const command = ["install", "--prefix", folder, ...flags, ...packages];
  const result = spawnSync("npm", command, { encoding: "utf8", shell: os.platform() === "win32" });
  return result.status === 0 ? undefined : `npm: ${result.stderr.trim().split("\n").at(-1)}`;
}

/** The program in the package for this platform, which npm chose among the optional dependencies. */
function binary(scope, name) {
  const folder = path.join(cache, name, "node_modules", scope);
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => [name, `${name}.exe`].includes(path.basename(file)))
    .map((file) => path.join(folder, file))
    .filter((file) => fs.statSync(file).isFile());
  if (files.length === 0) throw new Error(`${folder} holds no ${name}`);
  return files[0];
}

/** Imports every built entry, including those for Node. */
function runEntries(command) {
  const entries = workspace.packages.flatMap((item) =>
    item.entries.map(({ subpath, built }) => [path.posix.join(item.name, subpath), built]),
  );
  const lines = entries.map(
    ([name, built]) =>
      `await check(${JSON.stringify(name)}, ${JSON.stringify(pathToFileURL(built).href)});`,
  );
  const file = path.join(temporary, "every-entry.mjs");
  const text = `import { programs } from ${JSON.stringify(pathToFileURL(programs).href)};
const failed = [];
async function check(name, url) {
  try {
    const entry = await import(url);
    await programs[name]?.(entry);
  } catch (error) {
    failed.push(name + ": " + error);
  }
}
${lines.join("\n")}
if (failed.length > 0) throw new Error(failed.join("\\n"));
`;
  fs.writeFileSync(file, text);
  // Deno resolves packages in `node_modules` only below a manifest.
  fs.writeFileSync(path.join(temporary, "package.json"), "{}");
  runCommand([...command, file], { cwd: temporary });
  return `${entries.length} entries imported`;
}

/** A file that imports the neutral entries and runs their programs when its function is called. */
async function neutralProgram() {
  const entries = neutralEntries(workspace).filter(({ name }) => !name.endsWith("/conformance"));
  const notYet = JSON.parse(
    fs.readFileSync(path.join(import.meta.dirname, "neutral/not-yet.json"), "utf8"),
  );
  const passing = entries.filter(({ name }) => notYet[name] === undefined);
  const names = [];
  for (const entry of passing) names.push([entry.name, await bundleNeutralEntry(entry, temporary)]);
  const imports = names.map(
    ([, file], index) => `import * as e${index} from ${JSON.stringify(file)};`,
  );
  const runs = names.map(
    ([name], index) => `  await programs[${JSON.stringify(name)}]?.(e${index});`,
  );
  const file = path.join(temporary, "neutral.mjs");
  fs.writeFileSync(
    file,
    `import { programs } from ${JSON.stringify(programs)};
${imports.join("\n")}
export async function runAll() {
${runs.join("\n")}
  return [${names.map((_, index) => `e${index}`).join()}].length;
}
`,
  );
  return { file, count: names.length };
}

async function runWorkerd() {
  const { count } = await neutralProgram();
  const worker = path.join(temporary, "worker.mjs");
  fs.writeFileSync(
    worker,
    `import { runAll } from "./neutral.mjs";\nexport default { async test() { await runAll(); } };\n`,
  );
  await build({
    entryPoints: [worker],
    outfile: path.join(temporary, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
    external: optionalPeers(),
  });
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01"))]);
`;
  fs.writeFileSync(path.join(temporary, "config.capnp"), config);
  const command = [binary("@cloudflare", "workerd"), "test", path.join(temporary, "config.capnp")];
  runCommand(command, { cwd: temporary });
  return `${count} entries ran`;
}

async function runWebpack(folder) {
  const { file, count } = await neutralProgram();
  const url = pathToFileURL(path.join(folder, "node_modules/webpack/lib/index.js")).href;
  const { default: webpack } = await import(url);
  const peers = optionalPeers();
  const stats = await new Promise((resolve, reject) => {
    const options = {
      mode: "production",
      entry: file,
      output: { path: path.join(temporary, "webpack") },
      target: "web",
      externals: Object.fromEntries(peers.map((name) => [name, `var ${JSON.stringify(name)}`])),
    };
    webpack(options, (error, result) => (error ? reject(error) : resolve(result)));
  });
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
  return `${count} entries bundled`;
}

function optionalPeers() {
  return [...new Set(neutralEntries(workspace).flatMap((entry) => entry.external))];
}
