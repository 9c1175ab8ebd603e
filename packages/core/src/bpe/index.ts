export { BpeCounterError, type BpeCounterErrorCode } from "./bpe-counter-error.ts";
export {
  createBpeCounter,
  loadVocabulary,
  type BpeCounterOptions,
  type BpeEncoding,
} from "./create-bpe-counter.ts";
