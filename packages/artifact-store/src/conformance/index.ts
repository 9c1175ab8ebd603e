export { artifactStoreConformance } from "./artifact-store-conformance.ts";
export type { ConformanceOpenOptions, ConformanceOptions, Damage } from "./conformance-options.ts";
export { keyValueStoreConformance } from "./key-value-store-conformance.ts";
