export { BpeCounterError } from "./bpe-counter-error.ts";
export { createBpeCounter, loadVocabulary, type BpeEncoding } from "./create-bpe-counter.ts";
