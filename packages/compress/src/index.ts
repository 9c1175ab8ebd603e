export {
  compress,
  type CompressedContent,
  type CompressOptions,
  type LineRange,
} from "./compress.ts";
export type { OutlineEntry } from "./kinds/apply-outline.ts";
export { type ContentKind, detectKind } from "./kinds/detect-kind.ts";
export { type Numbering } from "./unit.ts";
export { type ContentPiece, readContent, type ReadContentOptions } from "./read-content.ts";
export { type ContentRepeat, findRepeat, type KnownContent } from "./repeats/find-repeat.ts";
export { searchContent, type ContentHits, type SearchContentOptions } from "./search-content.ts";
export { identifiersOf } from "./json/identifiers.ts";
export { parseExactly } from "./json/parse-exactly.ts";
export { rankValue, type ValueRank } from "./json/value-rank.ts";
