export { renderVerifyReport } from "./render-verify-report.ts";
export type { ResourceProbe } from "./resource-probe.ts";
export type { SnippetLinter } from "./lint-snippets.ts";
export { sqlProbe } from "./sql-probe.ts";
export { verifyCatalog, type VerifyOptions } from "./verify-catalog.ts";
export type { VerifyFinding, VerifyReport } from "./verify-report.ts";
