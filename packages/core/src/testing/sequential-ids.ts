import type { IdGenerator } from "../id-generator.ts";

/** Creates ids `id-1`, `id-2`, ..., which are the same on every run. */
export function createSequentialIds(prefix: string = "id"): IdGenerator {
  let count = 0;
  return {
    next() {
      count += 1;
      return `${prefix}-${count}`;
    },
  };
}
