const width = 8;

/** Runs a call for each item, a few at a time; results in the order of the items. After a failure none is still running. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  call: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item !== undefined) results[index] = await call(item);
    }
  };
  const workers = Array.from({ length: Math.min(width, items.length) }, () =>
    work().catch((error: unknown) => failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  return results;
}
