// Violations of package-graph.json as sentences. An empty list if there are none.
import { builtinModules } from "node:module";
import fs from "node:fs";
import path from "node:path";

import { reachModules, readSourceModule } from "./source-module.mjs";
import { splitSpecifier } from "./workspace.mjs";

const scope = "@ccl/";
const builtinsOfConformance = new Set(["node:assert", "node:assert/strict"]);

export function graphProblems(workspace) {
  const { rows, packages } = workspace;
  const missing = packages.filter((item) => rows[item.name] === undefined);
  return [
    ...rowProblems(rows),
    ...missing.map(
      (item) => `${item.name} has no row in package-graph.json; add one with its tier and imports`,
    ),
    ...versionProblems(packages),
    ...packages
      .filter((item) => rows[item.name] !== undefined)
      .flatMap((item) => packageProblems(item, workspace)),
  ];
}

function rowProblems(rows) {
  return Object.entries(rows).flatMap(([name, row]) =>
    row.imports
      .filter((imported) => imported !== "*" && !(rows[imported]?.tier < row.tier))
      .map((imported) =>
        rows[imported] === undefined
          ? `package-graph.json: ${name} may import ${imported}, which has no row`
          : `package-graph.json: ${name} (tier ${row.tier}) may not import ${imported} (tier ${rows[imported].tier}); only lower tiers, so that there is no sibling import and no cycle`,
      ),
  );
}

function packageProblems(item, workspace) {
  const where = (module, line) =>
    `${path.relative(workspace.root, module.file).replaceAll("\\", "/")}:${line}`;
  const context = { item, where, workspace, ...readSources(item) };
  const lost = item.entries.filter(
    (entry) => entry.source === undefined || !fs.existsSync(entry.source),
  );
  return [
    ...lost.map(
      (entry) =>
        `${item.name} exports ${entry.subpath}, and its condition @ccl/source leads to no file`,
    ),
    ...[...context.sources.values()].flatMap((module) => importProblems(module, context)),
    ...manifestProblems(context),
    ...item.entries.flatMap((entry) => builtinProblems(entry, context)),
  ];
}

function readSources(item) {
  const files = fs
    .readdirSync(path.join(item.directory, "src"), { recursive: true })
    .map((file) => path.join(item.directory, "src", file))
    .filter(
      (file) =>
        file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file) && !file.includes("__fixtures__"),
    )
    .sort();
  const sources = new Map(files.map((file) => [file, readSourceModule(file)]));
  const readModule = (file) => sources.get(file) ?? readSourceModule(file);
  const reach = (entries) => reachModules(entries.filter(Boolean), readModule);
  const bins = item.bins.map((bin) =>
    path.join(item.directory, bin.replace(/dist\/(.*)\.js$/, "src/$1.ts")),
  );
  return {
    sources,
    reach,
    shipped: reach([...item.entries.map((entry) => entry.source), ...bins]),
  };
}

function importProblems(module, context) {
  const computed = module.computedImportLines.map(
    (line) =>
      `${context.where(module, line)} imports a computed name; write the module's name out so that it can be checked`,
  );
  const named = module.imports.flatMap(({ specifier, line }) => {
    const problem = specifierProblem(specifier, module, context);
    return problem === undefined
      ? []
      : [`${context.where(module, line)} imports ${specifier}: ${problem}`];
  });
  return [...computed, ...named];
}

function specifierProblem(specifier, module, context) {
  if (specifier.startsWith("node:")) return undefined;
  if (builtinModules.includes(specifier)) return `write node:${specifier}`;
  if (specifier.startsWith(".")) {
    const target = path.resolve(path.dirname(module.file), specifier);
    return target.startsWith(context.item.directory + path.sep)
      ? undefined
      : "a relative import may not leave its package";
  }
  const { name, subpath } = splitSpecifier(specifier);
  return name.startsWith(scope)
    ? internalProblem({ name, subpath }, context)
    : declaredProblem(name, module, context);
}

function internalProblem({ name, subpath }, { item, workspace }) {
  const { rows, packages } = workspace;
  if (name === item.name) return "a package imports its own files by relative paths";
  if (rows[name] === undefined) return "package-graph.json has no such package";
  const row = rows[item.name];
  if (rows[name].tier === row.tier)
    return `a sibling of tier ${row.tier}; packages of one tier meet through value types of core`;
  if (rows[name].tier > row.tier) return `tier ${rows[name].tier} stands above tier ${row.tier}`;
  if (!row.imports.includes("*") && !row.imports.includes(name))
    return `the row of ${item.name} in package-graph.json does not name it`;
  const isBundled = row.bundles?.includes(name) && item.manifest.devDependencies?.[name];
  if (!isBundled && item.manifest.dependencies?.[name] === undefined)
    return "not in the package's dependencies";
  const target = packages.find((candidate) => candidate.name === name);
  if (target !== undefined && target.manifest.exports[subpath] === undefined)
    return `a deep import; ${name} exports no ${subpath}`;
  return undefined;
}

// Files that no entry reaches are test support, and may use what tests use.
function declaredProblem(name, module, { item, shipped, workspace }) {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = item.manifest;
  if (dependencies?.[name] ?? optionalDependencies?.[name] ?? peerDependencies?.[name])
    return undefined;
  const isBundled = workspace.rows[item.name].bundles?.includes(name) && devDependencies?.[name];
  if (shipped.has(module.file) && !isBundled)
    return "in neither dependencies nor peerDependencies of the package";
  const isForBuild = devDependencies?.[name] ?? workspace.rootManifest?.devDependencies?.[name];
  return isForBuild ? undefined : "not declared in the package";
}

function manifestProblems({ item, shipped, workspace }) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = item.manifest;
  const modules = [...shipped.values()];
  const mentioned = modules.flatMap((module) => [
    ...module.strings,
    ...module.imports.map((entry) => entry.specifier),
  ]);
  // A package supplies the peers of our packages by declaring them, and likewise the imports of bundled ones.
  const { bundles = [] } = workspace.rows[item.name];
  const within = workspace.packages.filter((other) => bundles.includes(other.name));
  const imported = within.flatMap((other) => Object.keys(other.manifest.dependencies ?? {}));
  const wanted = new Set([
    ...imported,
    ...workspace.packages
      .filter((other) => dependencies[other.name] !== undefined || within.includes(other))
      .flatMap((other) => Object.keys(other.manifest.peerDependencies ?? {})),
  ]);
  const isUsed = (name) =>
    wanted.has(name) || mentioned.some((text) => text === name || text.startsWith(`${name}/`));
  const unused = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    .filter((name) => !isUsed(name))
    .map((name) => `${item.name} declares ${name} and does not use it`);
  const internal = Object.entries(dependencies).filter(
    ([name, range]) => name.startsWith(scope) && range !== "workspace:^",
  );
  const peers = Object.keys(peerDependencies).filter((name) => name.startsWith(scope));
  return [
    ...unused,
    ...imported
      .filter((name) => dependencies[name] === undefined && !bundles.includes(name))
      .map(
        (name) => `${item.name} bundles a package that imports ${name}, and does not declare it`,
      ),
    ...internal.map(
      ([name, range]) => `${item.name} depends on ${name} as ${range}; write workspace:^`,
    ),
    ...peers.map((name) => `${item.name} has ${name} as a peer; our own packages are dependencies`),
  ];
}

// The catalog lists each version once. A dependency that only one package uses may have an inline version.
function versionProblems(packages) {
  const uses = packages.flatMap(({ name, manifest }) =>
    Object.entries({
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
      ...manifest.dependencies,
    })
      .filter(([dependency]) => !dependency.startsWith(scope))
      .map(([dependency, range]) => ({ name, dependency, range })),
  );
  const inline = uses.filter((use) => !use.range.startsWith("catalog:"));
  return inline
    .filter((use) =>
      uses.some((other) => other.dependency === use.dependency && other.name !== use.name),
    )
    .map(
      (use) =>
        `${use.name} gives ${use.dependency} the version ${use.range}, and another package uses it too; put it in the catalog of pnpm-workspace.yaml`,
    );
}

/** The builtins that an entry may import. Undefined if it may import any. */
export function allowedBuiltins(row, subpath) {
  if (row.platform === "node" || subpath === "./node" || row.nodeEntries?.includes(subpath))
    return undefined;
  return subpath === "./conformance" ? builtinsOfConformance : new Set();
}

function builtinProblems(entry, { item, reach, where, workspace }) {
  const allowed = allowedBuiltins(workspace.rows[item.name], entry.subpath);
  if (allowed === undefined) return [];
  return [...reach([entry.source]).values()].flatMap((module) =>
    module.imports
      .filter(({ specifier }) => specifier.startsWith("node:") && !allowed.has(specifier))
      .map(
        ({ specifier, line }) =>
          `${where(module, line)} imports ${specifier} and is reached from ${entry.subpath} of ${item.name}, which runs everywhere; what needs Node belongs under ./node`,
      ),
  );
}
