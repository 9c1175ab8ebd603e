export { artifactStoreConformance } from "./artifact-store-conformance.ts";
export type { ConformanceOpenOptions, ConformanceOptions, Damage } from "./conformance-options.ts";
export type { ConformanceRule } from "@ccl/core/conformance";
export { keyValueStoreConformance } from "./key-value-store-conformance.ts";
