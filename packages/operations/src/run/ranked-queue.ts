/** A binary heap of whole numbers, smallest out first. */
export interface RankedQueue {
  push(rank: number): void;
  /** Undefined once empty. */
  pop(): number | undefined;
}

/** An empty queue. */
export function createRankedQueue(): RankedQueue {
  const heap: number[] = [];
  const at = (index: number): number => heap[index] ?? Infinity;
  const swap = (left: number, right: number): void => {
    const kept = at(left);
    heap[left] = at(right);
    heap[right] = kept;
  };
  return {
    push(rank) {
      let index = heap.push(rank) - 1;
      for (
        let parent = (index - 1) >> 1;
        index > 0 && at(parent) > rank;
        parent = (index - 1) >> 1
      ) {
        swap(index, parent);
        index = parent;
      }
    },
    pop() {
      const top = heap[0];
      const last = heap.pop();
      if (top === undefined || last === undefined || heap.length === 0) return top;
      heap[0] = last;
      for (let index = 0; ;) {
        const left = 2 * index + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= last) return top;
        swap(index, child);
        index = child;
      }
    },
  };
}
