export { AliasesError, type AliasesErrorCode } from "./aliases-error.ts";
export { buildCard } from "./card/build-card.ts";
export type { Card } from "./card/card.ts";
export type { ContextBase } from "./context/context-base.ts";
export { createContextFiles, type ContextFiles } from "./context/context-files.ts";
export { computeDelta } from "./delta/compute-delta.ts";
export { renderDelta } from "./delta/render-delta.ts";
export type { Delta, Snapshot } from "./delta/snapshot.ts";
export { takeSnapshot } from "./delta/take-snapshot.ts";
export { buildOutline } from "./outline/build/build-outline.ts";
export type { Outline } from "./outline/outline.ts";
export { buildPack } from "./pack/build-pack.ts";
export type { Pack, PackEntry, PackLevel, PackOmission, PackOptions } from "./pack/pack.ts";
export type { PackStyle } from "./pack/pack-layout.ts";
export type { FileHistory, HistoryCommit } from "./rank/file-history.ts";
export {
  rankFiles,
  type FileRanking,
  type RankedFile,
  type RankOptions,
} from "./rank/rank-files.ts";
export type {
  AliasCheck,
  AliasContent,
  AliasEntry,
  AliasRegistry,
  AliasStat,
  GetAliasOutput,
  GetAliasTool,
  OpenAliasRegistryOptions,
  ScanReport,
  ScanRules,
  VerifyReport,
} from "./registry/alias-registry.ts";
export { openAliasRegistry } from "./registry/open-alias-registry.ts";
export type { PackEvent } from "./rank/survey-files.ts";
export { createGetAliasTool } from "./tool/create-get-alias-tool.ts";
