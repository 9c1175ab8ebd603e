import { foldName } from "./fold-name.ts";

/** Two spellings that may be the same place. */
export interface PathCollision {
  /** Indexes in the list. The later one is second. */
  indexes: [number, number];
  /** The path or the folder on its way, as each of the two spells it. */
  spellings: [string, string];
}

/**
 * Finds places that two paths spell differently, by case or Unicode form. Some systems see two files, others one.
 * Parent folders count too. Each later path is listed once.
 */
export function findCollisions(paths: readonly string[]): PathCollision[] {
  const seen = new Map<string, { spelling: string; index: number }>();
  const collisions: PathCollision[] = [];
  for (const [index, path] of paths.entries()) {
    let collision: PathCollision | undefined;
    for (let end = path.indexOf("/"); end !== -2; end = end < 0 ? -2 : path.indexOf("/", end + 1)) {
      const spelling = end < 0 ? path : path.slice(0, end);
      const key = foldName(spelling);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, { spelling, index });
      else if (first.spelling !== spelling)
        collision ??= { indexes: [first.index, index], spellings: [first.spelling, spelling] };
    }
    if (collision !== undefined) collisions.push(collision);
  }
  return collisions;
}
