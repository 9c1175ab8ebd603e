/** Scores by number (of a slot or a container), with the numbers that have one in the order of their first score. */
export interface SlotScores {
  scores: Float64Array;
  touched: Int32Array;
  size: number;
}

/** Scores of none, for numbers below `capacity`. */
export function createSlotScores(capacity: number): SlotScores {
  return { scores: new Float64Array(capacity), touched: new Int32Array(capacity), size: 0 };
}

/** Adds to a score; nothing where there is nothing to add. */
export function addScore(target: SlotScores, at: number, score: number): void {
  if (!(score > 0)) return;
  const before = target.scores[at] ?? 0;
  if (before === 0) touch(target, at);
  target.scores[at] = before + score;
}

/** Lifts a score to at least this one. */
export function raiseScore(target: SlotScores, at: number, score: number): void {
  const before = target.scores[at] ?? 0;
  if (!(score > before)) return;
  if (before === 0) touch(target, at);
  target.scores[at] = score;
}

/** Forgets all scores; costs as much as there are. */
export function clearScores(target: SlotScores): void {
  for (let at = 0; at < target.size; at += 1) target.scores[target.touched[at] ?? 0] = 0;
  target.size = 0;
}

function touch(target: SlotScores, at: number): void {
  target.touched[target.size] = at;
  target.size += 1;
}
