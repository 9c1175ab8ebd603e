export { openAppendLog, type AppendLog, type AppendLogOptions } from "./append-log.ts";
export { syncFolder, type Durability } from "./durability.ts";
export {
  acquireFileLock,
  withFileLock,
  isWithoutHardLinks,
  type FileLock,
  type FileLockOptions,
} from "./file-lock.ts";
export { NodeIoError, type NodeIoErrorCode } from "./node-io-error.ts";
export { resolveInside, type InsidePath } from "./resolve-inside.ts";
export { writeFileDurable, type WriteFileDurableOptions } from "./write-file-durable.ts";
export { systemCode, unless } from "./system-code.ts";
