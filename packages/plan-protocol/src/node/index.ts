export { createMemoryFiles, type MemoryFiles } from "./memory/create-memory-files.ts";
export type {
  FileWorkspace,
  PrunedTransactions,
  RecoveredTransaction,
  TransactionRecord,
} from "../workspace/file-workspace.ts";
export { openWorkspace, type OpenWorkspaceOptions } from "./open-workspace.ts";
