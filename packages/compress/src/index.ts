export { compress, type CompressedContent, type CompressOptions } from "./compress.ts";
export { readContent } from "./read-content.ts";
export { findRepeat, type KnownContent } from "./repeats/find-repeat.ts";
export { searchContent, type ContentHits, type SearchContentOptions } from "./search-content.ts";
export { identifiersOf } from "./json/identifiers.ts";
export { parseExactly } from "./json/parse-exactly.ts";
export { rankValue } from "./json/value-rank.ts";
