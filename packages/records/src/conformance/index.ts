export { recordsConformance } from "./records-conformance.ts";
