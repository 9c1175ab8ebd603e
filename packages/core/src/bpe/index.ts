export { BpeCounterError, type BpeCounterErrorCode } from "./bpe-counter-error.ts";
export { createBpeCounter, type BpeEncoding } from "./create-bpe-counter.ts";
