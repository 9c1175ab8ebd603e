import { createRequire } from "node:module";

// Libraries that few packs need and that take longer to load than a small pack takes to build. Loaded synchronously,
// because `import()` would turn pure functions into asynchronous ones.
const require = createRequire(import.meta.url);

export function loadYaml(): typeof import("yaml") {
  return require("yaml");
}

export function loadDiff(): typeof import("diff") {
  return require("diff");
}

export function loadPicomatch(): typeof import("picomatch") {
  return require("picomatch");
}

export function loadIgnore(): typeof import("ignore") {
  return require("ignore");
}
