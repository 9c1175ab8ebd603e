export {
  createDbosExecutor,
  type DbosExecutor,
  type DbosExecutorOptions,
} from "./create-dbos-executor.ts";
export { openDbosWorker, type DbosWorker, type DbosWorkerOptions } from "./open-dbos-worker.ts";
export { OperationsDbosError } from "./operations-dbos-error.ts";
