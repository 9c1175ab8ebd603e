// Checks that the entries for every platform run without Node: bundled for browsers, and without `eval`.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { build } from "esbuild";

import { allowedBuiltins } from "../graph/graph-problems.mjs";

/**
 * The entries that `package-graph.json` marks as neutral.
 * @returns {{ name: string, built: string, directory: string, external: string[] }[]}
 */
export function neutralEntries({ rows, packages }) {
  return packages.flatMap((item) =>
    item.entries
      .filter(({ subpath }) => allowedBuiltins(rows[item.name], subpath) !== undefined)
      .map(({ subpath, built }) => ({
        name: path.posix.join(item.name, subpath),
        built,
        directory: item.directory,
        external: [...optionalPeers(item.manifest), ...assertions(rows[item.name], subpath)],
      })),
  );
}

// An application installs an optional peer if it needs one, and gets an error when it calls what needs it.
function optionalPeers({ peerDependencies = {}, peerDependenciesMeta = {} }) {
  return Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional);
}

// A conformance kit runs in a test runner, and test runners for browsers provide `node:assert`.
function assertions(row, subpath) {
  return [...allowedBuiltins(row, subpath)].filter((name) => name.startsWith("node:assert"));
}

/**
 * Bundles an entry for browsers into `folder` and returns the file. Rejects with the imports that cannot be resolved.
 */
export async function bundleNeutralEntry(entry, folder) {
  const outfile = path.join(folder, `${entry.name.replace(/\W+/g, "-")}.mjs`);
  await build({
    entryPoints: [entry.built],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: entry.external,
    logLevel: "silent",
  });
  return outfile;
}

/**
 * Bundles an entry and imports it in a process without `eval` and without Node's globals. `problem` is `undefined` if
 * both work, otherwise what failed.
 * @returns {Promise<{ problem: string | undefined, bytes: number }>}
 */
export async function tryNeutralEntry(entry, folder) {
  let file;
  try {
    file = await bundleNeutralEntry(entry, folder);
  } catch (error) {
    const texts = new Set(error.errors?.map(({ text }) => text.split("\n")[0]) ?? [`${error}`]);
    return { problem: `does not bundle: ${[...texts].slice(0, 3).join("; ")}`, bytes: 0 };
  }
  const program = path.join(import.meta.dirname, "run-neutral.mjs");
  const result = spawnSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", program, file, entry.name],
    { encoding: "utf8", timeout: 120_000 },
  );
  const bytes = fs.statSync(file).size;
  if (result.status === 0) return { problem: undefined, bytes };
  const line = result.stderr.split("\n").find((text) => text.includes("Error")) ?? result.stderr;
  return { problem: `does not run: ${line.trim()}`, bytes };
}
