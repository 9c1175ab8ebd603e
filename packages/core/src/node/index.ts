export { syncFolder, type Durability } from "./durability.ts";
export {
  acquireFileLock,
  withFileLock,
  isWithoutHardLinks,
  type FileLock,
  type FileLockOptions,
} from "./file-lock.ts";
export { NodeIoError } from "./node-io-error.ts";
export { resolveInside } from "./resolve-inside.ts";
export { writeFileDurable } from "./write-file-durable.ts";
export { systemCode, unless } from "./system-code.ts";
