import { insertRows, rowsOf, run, type SqlSteps, type SqlValue } from "@ccl/sql";
import { blockSize } from "./index-tables.ts";
import { decodeBlock, encodeBlock, type PostingBlock, type PostingEntry } from "./posting-block.ts";
import { termKeyOf } from "./sql-keys.ts";
import { type SqlDialect } from "./sql-dialect.ts";

/** New entries by place, undefined where one goes, by term key, by block. */
export interface PostingEdits {
  blocks: Map<number, Map<string, Map<number, PostingEntry | undefined>>>;
  /** Blocks from here on are not there yet. */
  firstNewBlock: number;
}

/** No edits, for an index whose next document has this number. */
export function createPostingEdits(nextDocument: number): PostingEdits {
  return { blocks: new Map(), firstNewBlock: Math.ceil(nextDocument / blockSize) };
}

/** Records a new entry or a replacement. */
export function addEntry(
  edits: PostingEdits,
  { term, document, entry }: { term: string; document: number; entry: PostingEntry },
): void {
  placesOf(edits, term, document).set(document % blockSize, entry);
}

/** Records a removed entry. */
export function dropEntry(edits: PostingEdits, term: string, document: number): void {
  placesOf(edits, term, document).set(document % blockSize, undefined);
}

function placesOf(
  edits: PostingEdits,
  term: string,
  document: number,
): Map<number, PostingEntry | undefined> {
  const number = Math.floor(document / blockSize);
  const block =
    edits.blocks.get(number) ?? new Map<string, Map<number, PostingEntry | undefined>>();
  edits.blocks.set(number, block);
  const key = termKeyOf(term);
  const places = block.get(key) ?? new Map<number, PostingEntry | undefined>();
  block.set(key, places);
  return places;
}

/** Rewrites the rows that the edits touch. */
export function* writePostings(dialect: SqlDialect, edits: PostingEdits): SqlSteps<void> {
  for (const [number, terms] of edits.blocks) {
    const found =
      number < edits.firstNewBlock
        ? yield* readBlocks(dialect, number, [...terms.keys()])
        : noBlocks;
    const written: SqlValue[][] = [];
    const emptied: string[] = [];
    for (const [term, places] of terms) {
      const block = edited(found.get(term), places);
      if (block.size === 0) emptied.push(term);
      else written.push([term, number, encodeBlock(block)]);
    }
    yield* insertRows(
      `INSERT INTO ccl_search_postings (term, block, entries) VALUES ROWS
       ON CONFLICT (term, block) DO UPDATE SET entries = excluded.entries`,
      written,
    );
    if (emptied.length === 0) continue;
    const remove = `DELETE FROM ccl_search_postings WHERE block = ? AND term ${dialect.inTexts}`;
    yield* run(remove, number, JSON.stringify(emptied));
  }
}

function edited(
  block: PostingBlock = new Map<number, PostingEntry>(),
  places: ReadonlyMap<number, PostingEntry | undefined>,
): PostingBlock {
  for (const [place, entry] of places) {
    if (entry === undefined) block.delete(place);
    else block.set(place, entry);
  }
  return block;
}

const noBlocks: ReadonlyMap<string, PostingBlock> = new Map();

function* readBlocks(
  { inTexts }: SqlDialect,
  number: number,
  terms: readonly string[],
): SqlSteps<ReadonlyMap<string, PostingBlock>> {
  const select = `SELECT term, entries FROM ccl_search_postings WHERE block = ? AND term ${inTexts}`;
  const rows = yield* rowsOf(select, number, JSON.stringify(terms));
  return new Map(rows.map((row) => [String(row["term"]), decodeBlock(row["entries"])]));
}
