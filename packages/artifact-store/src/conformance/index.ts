export { artifactStoreConformance } from "./artifact-store-conformance.ts";
export type {
  ConformanceCapabilities,
  ConformanceOpenOptions,
  ConformanceOptions,
  ConformanceRule,
  Damage,
} from "./conformance-options.ts";
