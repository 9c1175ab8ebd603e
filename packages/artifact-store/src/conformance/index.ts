export { artifactStoreConformance } from "./artifact-store-conformance.ts";
export type {
  ConformanceOpenOptions,
  ConformanceOptions,
  ConformanceRule,
  Damage,
} from "./conformance-options.ts";
