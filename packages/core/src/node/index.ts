export { NodeIoError, type NodeIoErrorCode } from "./node-io-error.ts";
export { resolveInside, type InsidePath } from "./resolve-inside.ts";
export { writeFileDurable, type Durability, type WriteFileDurableOptions } from "./write-file-durable.ts";
