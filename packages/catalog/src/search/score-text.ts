import type { QueryWord } from "./analyzer.ts";
import { selectTop, type ScoredSlot } from "./select-top.ts";
import {
  addScore,
  clearScores,
  createSlotScores,
  raiseScore,
  type SlotScores,
} from "./slot-scores.ts";
import type { LegHit, TextHits } from "./search-index.ts";
import { weighWord, type WeighedAlternative, type WordContext } from "./weigh-word.ts";

/** What scoring needs besides the query. */
export interface ScoreTextContext extends WordContext {
  ids: readonly (string | undefined)[];
  /** Container number of each slot. */
  containers: readonly number[];
  /** Visible documents of each container. */
  containerSizes: ArrayLike<number>;
  scratch: ScoreScratch;
}

/** Arrays that one query after another uses; clear between queries. */
export interface ScoreScratch {
  total: SlotScores;
  word: SlotScores;
  sum: SlotScores;
  containerWord: SlotScores;
  containerTotal: SlotScores;
  containerOwn: SlotScores;
}

/** Scratch for so many slots and containers. */
export function createScoreScratch(slots: number, containers: number): ScoreScratch {
  return {
    total: createSlotScores(slots),
    word: createSlotScores(slots),
    sum: createSlotScores(slots),
    containerWord: createSlotScores(containers),
    containerTotal: createSlotScores(containers),
    containerOwn: createSlotScores(containers),
  };
}

/** Key of a hit's `parts` for what its container adds; a slash is in no word. */
const containerPart = "/container";
/** Containers of more documents meet many words by chance. */
const fullyShared = 32;

/** What one word added, by slot. */
interface WordScores {
  written: string;
  slots: Int32Array;
  scores: Float64Array;
}

/**
 * Scores words over the visible slots. A word counts by its best alternative. A document's score is the sum over its
 * words and a share of the sum, over the words, of the best that a document of its container has.
 */
export function scoreText(
  context: ScoreTextContext,
  words: readonly QueryWord[],
  limit: number,
): TextHits {
  const { total, containerTotal, containerOwn } = context.scratch;
  const added: WordScores[] = [];
  const unmatchedTerms: string[] = [];
  let found = 0;
  let asked = 0;
  for (const word of words) {
    const { alternatives, rarity, isFound } = weighWord(context, word);
    asked += rarity;
    if (isFound) found += rarity;
    else unmatchedTerms.push(word.word);
    if (alternatives.length === 0) continue;
    added.push({ written: word.word, ...addWord(context, alternatives) });
  }
  weighContainers(context);
  for (let at = 0; at < total.size; at += 1) {
    const slot = total.touched[at] ?? 0;
    addScore(total, slot, containerAmount(context, slot, total.scores[slot] ?? 0));
  }
  const top = selectTop(total, limit, context.ids);
  const parts = partsOf(context, added, top);
  const hits = top.map(({ slot, score }, at): LegHit => ({
    id: context.ids[slot] ?? "",
    score,
    parts: parts[at] ?? {},
  }));
  clearScores(total);
  clearScores(containerTotal);
  clearScores(containerOwn);
  return { hits, unmatchedTerms, coverage: asked === 0 ? 0 : found / asked };
}

function addWord(
  context: ScoreTextContext,
  alternatives: readonly WeighedAlternative[],
): Omit<WordScores, "written"> {
  const { total, word, containerWord, containerTotal } = context.scratch;
  for (const alternative of alternatives) raiseWord(context, alternative);
  const slots = word.touched.slice(0, word.size);
  const scores = new Float64Array(word.size);
  for (let at = 0; at < word.size; at += 1) {
    const slot = word.touched[at] ?? 0;
    const score = word.scores[slot] ?? 0;
    scores[at] = score;
    addScore(total, slot, score);
    raiseScore(containerWord, context.containers[slot] ?? 0, score);
  }
  for (let at = 0; at < containerWord.size; at += 1) {
    const container = containerWord.touched[at] ?? 0;
    addScore(containerTotal, container, containerWord.scores[container] ?? 0);
  }
  clearScores(word);
  clearScores(containerWord);
  return { slots, scores };
}

function raiseWord({ visible, scratch }: ScoreTextContext, alternative: WeighedAlternative): void {
  const { word, sum } = scratch;
  // The terms of one alternative add up; alternatives compete.
  const isSingle = alternative.length === 1;
  for (const { postings, factor } of alternative) {
    const { impactSlots, impacts, documents } = postings;
    for (let at = 0; at < documents; at += 1) {
      const slot = impactSlots[at] ?? 0;
      if (visible !== undefined && visible[slot] !== 1) continue;
      if (isSingle) raiseScore(word, slot, factor * (impacts[at] ?? 0));
      else addScore(sum, slot, factor * (impacts[at] ?? 0));
    }
  }
  for (let at = 0; at < sum.size; at += 1) {
    const slot = sum.touched[at] ?? 0;
    raiseScore(word, slot, sum.scores[slot] ?? 0);
  }
  clearScores(sum);
}

/**
 * Turns what containers hold into what they add: their share of the best for each word. The larger a container, the more
 * of that is the document's own words instead, so that it neither gains from all it holds nor falls behind small ones.
 */
function weighContainers({ weights, containerSizes, scratch }: ScoreTextContext): void {
  const { containerTotal, containerOwn } = scratch;
  for (let at = 0; at < containerTotal.size; at += 1) {
    const container = containerTotal.touched[at] ?? 0;
    const size = Math.max(1, containerSizes[container] ?? 1);
    const share =
      weights.container /
      (1 + weights.containerSizeDiscount * Math.log2(Math.min(size, fullyShared)));
    const together = Math.min(1, Math.sqrt(fullyShared / size));
    containerTotal.scores[container] = share * together * (containerTotal.scores[container] ?? 0);
    addScore(containerOwn, container, share * (1 - together));
  }
}

function containerAmount(
  { containers, scratch }: ScoreTextContext,
  slot: number,
  own: number,
): number {
  const container = containers[slot] ?? 0;
  return (
    (scratch.containerTotal.scores[container] ?? 0) +
    (scratch.containerOwn.scores[container] ?? 0) * own
  );
}

function partsOf(
  context: ScoreTextContext,
  added: readonly WordScores[],
  top: readonly ScoredSlot[],
): Record<string, number>[] {
  const parts: [string, number][][] = top.map(() => []);
  const places = new Map(top.map(({ slot }, at) => [slot, at]));
  const isTop = new Uint8Array(context.ids.length);
  for (const { slot } of top) isTop[slot] = 1;
  for (const { written, slots, scores } of added) {
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      if (isTop[slot] === 1) parts[places.get(slot) ?? 0]?.push([written, scores[at] ?? 0]);
    }
  }
  return top.map(({ slot }, at) => {
    const own = parts[at] ?? [];
    const sum = own.reduce((total, [, score]) => total + score, 0);
    const container = containerAmount(context, slot, sum);
    return Object.fromEntries(container > 0 ? [...own, [containerPart, container]] : own);
  });
}
