export {
  type MemoryFiles,
  type MemoryFilesOptions,
  openMemoryFiles,
} from "./memory/open-memory-files.ts";
export type {
  FileWorkspace,
  PrunedTransactions,
  RecoveredTransaction,
  TransactionRecord,
} from "../workspace/file-workspace.ts";
export { openWorkspace, type OpenWorkspaceOptions } from "./open-workspace.ts";
export type { WorkspaceDurability } from "./workspace-parts.ts";
export { createTraceFiles, type TraceFilesOptions } from "./trace/create-trace-files.ts";
