const width = 8;

/** Runs a call for each item, a few at a time; results in the order of the items. After a failure none is still running. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  call: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = [];
  const failures: unknown[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      results[index] = await call(item, index);
    }
  };
  const workers = Array.from({ length: Math.min(width, items.length) }, () =>
    work().catch((error: unknown) => failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  return results;
}
