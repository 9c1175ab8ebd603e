// The packages of the workspace as they are on disk, and their rows in package-graph.json.
import fs from "node:fs";
import path from "node:path";

/**
 * @typedef {{ tier: number, imports: string[], bundles?: string[], platform: "neutral" | "node", nodeEntries?: string[], maxTokens?: number, maxGzipBytes?: Record<string, number> }} GraphRow
 * @typedef {{ name: string, directory: string, manifest: Record<string, any>, entries: { subpath: string, source: string | undefined, built: string }[], bins: string[] }} WorkspacePackage
 */

/** @returns {{ root: string, rootManifest: Record<string, any>, rows: Record<string, GraphRow>, packages: WorkspacePackage[] }} */
export function readWorkspace(root) {
  const { packages: rows } = readJson(path.join(root, "package-graph.json"));
  const rootManifest = readJson(path.join(root, "package.json"));
  const folder = path.join(root, "packages");
  const packages = fs
    .readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name))
    .filter((directory) => fs.existsSync(path.join(directory, "package.json")))
    .map(readPackage);
  return { root, rootManifest, rows, packages };
}

/** @returns {WorkspacePackage} */
function readPackage(directory) {
  const manifest = readJson(path.join(directory, "package.json"));
  const entries = Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target === "object")
    .map(([subpath, target]) => ({
      subpath,
      source: target["@ccl/source"] && path.join(directory, target["@ccl/source"]),
      built: path.join(directory, target.default),
    }));
  const bins = binsOf(manifest);
  return { name: manifest.name, directory, manifest, entries, bins };
}

/**
 * The commands of a published package. They are not in `bin`, because pnpm would link them before the build creates the
 * files.
 */
export function binsOf({ publishConfig }) {
  return [...new Set(Object.values(publishConfig?.bin ?? {}))];
}

/** The limit for an entry: its own, or the one for all others. */
export function ceilingFor(ceilings, subpath) {
  return ceilings?.[subpath] ?? ceilings?.["*"];
}

/** Splits `@scope/name/deep` and `name/deep` into the package's name and the rest. */
export function splitSpecifier(specifier) {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  return { name: name ?? specifier, subpath: rest === undefined ? "." : `.${rest}` };
}

/** The name of the package in a folder of `packages`. The package for `npm create` has no scope. */
export function nameOfFolder(folder) {
  return folder.startsWith("create-") ? folder : `@ccl/${folder}`;
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}
