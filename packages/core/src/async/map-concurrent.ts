/**
 * Calls `run` for each item, up to `concurrency` at a time, and returns the results in the order of
 * the items. After a failure no new call starts. Once the running calls have ended, it rejects with
 * the first failure.
 */
export async function mapConcurrent<Item, Value>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = [];
  const failures: unknown[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await run(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
