import type { SlotScores } from "./slot-scores.ts";

/** A slot with its score. */
export interface ScoredSlot {
  slot: number;
  score: number;
}

/** The best `limit` of the touched slots, best first, ties by id in code units. */
export function selectTop(
  found: SlotScores,
  limit: number,
  ids: readonly (string | undefined)[],
): ScoredSlot[] {
  const heap: ScoredSlot[] = [];
  for (let at = 0; at < found.size; at += 1) {
    const slot = found.touched[at] ?? 0;
    const score = found.scores[slot] ?? 0;
    const worst = heap[0];
    if (heap.length < limit) {
      heap.push({ slot, score });
      siftUp(heap, ids);
    } else if (
      worst !== undefined &&
      score >= worst.score &&
      isWorse(worst, { slot, score }, ids)
    ) {
      heap[0] = { slot, score };
      siftDown(heap, ids);
    }
  }
  return heap.sort((left, right) => (isWorse(left, right, ids) ? 1 : -1));
}

function isWorse(
  left: ScoredSlot,
  right: ScoredSlot,
  ids: readonly (string | undefined)[],
): boolean {
  if (left.score !== right.score) return left.score < right.score;
  return (ids[left.slot] ?? "") > (ids[right.slot] ?? "");
}

function siftUp(heap: ScoredSlot[], ids: readonly (string | undefined)[]): void {
  let at = heap.length - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!swapIfWorse(heap, { at, above }, ids)) return;
    at = above;
  }
}

function siftDown(heap: ScoredSlot[], ids: readonly (string | undefined)[]): void {
  let at = 0;
  while (2 * at + 1 < heap.length) {
    const left = 2 * at + 1;
    const leftEntry = heap[left];
    const rightEntry = heap[left + 1];
    const isRight =
      leftEntry !== undefined && rightEntry !== undefined && isWorse(rightEntry, leftEntry, ids);
    const next = isRight ? left + 1 : left;
    if (!swapIfWorse(heap, { at: next, above: at }, ids)) return;
    at = next;
  }
}

function swapIfWorse(
  heap: ScoredSlot[],
  { at, above }: { at: number; above: number },
  ids: readonly (string | undefined)[],
): boolean {
  const lower = heap[at];
  const upper = heap[above];
  if (lower === undefined || upper === undefined || !isWorse(lower, upper, ids)) return false;
  heap[at] = upper;
  heap[above] = lower;
  return true;
}
