import { createRequire } from "node:module";

// Libraries that few packs need and that take longer to load than a small pack takes to make. Not by `import()`, whose
// promise would reach up to functions that only compute.
const require = createRequire(import.meta.url);

/** The library for YAML. */
export function loadYaml(): typeof import("yaml") {
  return require("yaml");
}

/** The library for unified diffs. */
export function loadDiff(): typeof import("diff") {
  return require("diff");
}

/** The library for globs. */
export function loadPicomatch(): typeof import("picomatch") {
  return require("picomatch");
}

/** The library for .gitignore rules. */
export function loadIgnore(): typeof import("ignore") {
  return require("ignore");
}
