/** How many requests one call has under way at once; the SDK keeps 50 sockets by default. */
const parallelRequests = 16;

/** Results in the order of the items. After a failure no new ones are started, and those under way are waited for. */
export async function inParallel<Item, Output>(
  items: readonly Item[],
  run: (item: Item) => Promise<Output>,
): Promise<Output[]> {
  const results: Output[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item === undefined) continue;
      try {
        results[index] = await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelRequests, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
