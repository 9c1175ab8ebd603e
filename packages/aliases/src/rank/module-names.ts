import { posix } from "node:path";

import { isRecord } from "@ccl/core/json";

import { createStructuredText } from "../card/structured-text.ts";

/** A name under which imports reach files of the project: `@x/core/*` for `packages/core/src/*`. */
export interface ModuleName {
  /** The folder in which the name is valid. "" for the whole project. */
  scope: string;
  /** As imports write it, with up to one `*`. */
  name: string;
  /** Paths from the root, with or without extension. The first existing file is used. */
  targets: string[];
}

/** A project file with its path. */
interface Manifest {
  path: string;
  text: string;
}

const MANIFEST = /(?:^|\/)(?:package|[jt]sconfig(?:\.[\w-]+)*)\.json$/;
const MAX_EXTENDS = 8;
const MAX_NAMES = 2_000;
/** Folders of build output. Their sources are in `src` or beside them. */
const BUILT = /^(?:\.\/)?(?:dist|lib|build|out|esm|cjs|types)\/(?:(?:esm|cjs|types|src)\/)?/;

/** True for a `package.json`, `tsconfig.json` or `jsconfig.json`. */
export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/** The module names in a project's manifests: packages first, then the `paths` of compilers. */
export function readModuleNames(manifests: readonly Manifest[]): ModuleName[] {
  const read = manifests.flatMap(({ path, text }) => {
    const value = createStructuredText(path, text).value();
    return isRecord(value) ? [{ path, folder: folderOf(path), value }] : [];
  });
  const packages = read.filter(({ path }) => path.endsWith("package.json"));
  const configs = new Map(read.map((file) => [file.path, file]));
  const folders = new Map(packages.map(({ folder, value }) => [String(value["name"]), folder]));
  return [
    ...packages.flatMap(namesOfPackage),
    ...read
      .filter(({ path }) => !path.endsWith("package.json"))
      .flatMap((config) => pathsOf(config, { configs, folders })),
  ].slice(0, MAX_NAMES * 10);
}

interface ReadManifest {
  path: string;
  folder: string;
  value: Record<string, unknown>;
}

function namesOfPackage({ folder, value }: ReadManifest): ModuleName[] {
  const own = [...subpathsOf(value["imports"])].map(([name, targets]) => ({
    scope: folder,
    name,
    targets: targets.flatMap((target) => sourcesOf(folder, target)),
  }));
  const { name } = value;
  if (typeof name !== "string" || name === "" || name.includes("*")) return own;
  const exported = subpathsOf(value["exports"], ".");
  const main = ["source", "module", "main", "types"].flatMap((key) => textsOf(value[key]));
  const add = (subpath: string, targets: string[]): void => {
    exported.set(subpath, [...(exported.get(subpath) ?? []), ...targets]);
  };
  add(".", [...main, "./src/index", "./index"]);
  add("./*", ["./*", "./src/*"]);
  return [
    ...own,
    ...[...exported].map(([subpath, targets]) => ({
      scope: "",
      name: posix.join(name, subpath),
      targets: targets.flatMap((target) => sourcesOf(folder, target)),
    })),
  ];
}

/** Targets by subpath of an `exports` or `imports` field. Takes all conditions, since one of them is the source. */
function subpathsOf(field: unknown, root?: string): Map<string, string[]> {
  const isSubpath = (key: string): boolean => /^[.#]/.test(key) && key.split("*").length <= 2;
  if (isRecord(field) && Object.keys(field).some(isSubpath)) {
    const entries = Object.entries(field).filter(([key]) => isSubpath(key));
    return new Map(entries.slice(0, MAX_NAMES).map(([key, value]) => [key, textsOf(value)]));
  }
  return new Map(root === undefined ? [] : [[root, textsOf(field)]]);
}

/** All strings in a value, at any depth. */
function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > MAX_EXTENDS) return [];
  return Object.values(value).flatMap((each) => textsOf(each, depth + 1));
}

function sourcesOf(folder: string, target: string): string[] {
  const places = [target];
  if (BUILT.test(target)) places.push(target.replace(BUILT, "src/"), target.replace(BUILT, ""));
  return places.map((place) => posix.join(folder, place));
}

interface Configs {
  configs: ReadonlyMap<string, ReadManifest>;
  /** Folders of packages, by package name. */
  folders: ReadonlyMap<string, string>;
}

/** The `paths` of a compiler configuration, own or inherited by `extends`. */
function pathsOf(config: ReadManifest, known: Configs): ModuleName[] {
  const chain: ReadManifest[] = [];
  const visit = (file: ReadManifest): void => {
    if (chain.length >= MAX_EXTENDS || chain.includes(file)) return;
    chain.push(file);
    for (const name of textsOf(file.value["extends"])) {
      const base = findExtended(file.folder, name, known);
      if (base !== undefined) visit(base);
    }
  };
  visit(config);
  const find = (key: string): { folder: string; value: unknown } | undefined => {
    for (const { folder, value } of chain) {
      const options = value["compilerOptions"];
      if (isRecord(options) && options[key] !== undefined) return { folder, value: options[key] };
    }
    return undefined;
  };
  const place = (folder: string, target: string): string =>
    target.startsWith("${configDir}")
      ? posix.join(config.folder, target.slice("${configDir}".length))
      : posix.join(folder, target);
  const found = find("baseUrl");
  const base = typeof found?.value === "string" ? place(found.folder, found.value) : undefined;
  const paths = find("paths");
  const names = isRecord(paths?.value) ? Object.entries(paths.value) : [];
  const scope = config.folder;
  const named = names.slice(0, MAX_NAMES).flatMap(([name, value]): ModuleName[] => {
    if (name.split("*").length > 2) return [];
    const targets = textsOf(value).map((target) => place(base ?? paths?.folder ?? "", target));
    return [{ scope, name, targets }];
  });
  return base === undefined ? named : [...named, { scope, name: "*", targets: [`${base}/*`] }];
}

function findExtended(folder: string, name: string, known: Configs): ReadManifest | undefined {
  const [first = "", second = ""] = name.split("/");
  const own = name.startsWith("@") ? `${first}/${second}` : first;
  const place = known.folders.get(own);
  const path = name.startsWith(".")
    ? posix.join(folder, name)
    : place === undefined
      ? undefined
      : posix.join(place, name.slice(own.length));
  if (path === undefined) return undefined;
  return (
    known.configs.get(path) ??
    known.configs.get(`${path}.json`) ??
    known.configs.get(posix.join(path, "tsconfig.json"))
  );
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}
