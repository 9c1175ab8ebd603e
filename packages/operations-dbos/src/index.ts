export {
  createDbosExecutor,
  type DbosExecutor,
  type DbosExecutorOptions,
} from "./create-dbos-executor.ts";
export type { DbosSdk, DbosStepOptions, PostgresConnection, PostgresPool } from "./dbos-sdk.ts";
export { openDbosWorker, type DbosWorker, type DbosWorkerOptions } from "./open-dbos-worker.ts";
export { OperationsDbosError, type OperationsDbosErrorCode } from "./operations-dbos-error.ts";
