/** Counts successful calls by server and tool. Searches rank frequently used tools higher. */
export interface ToolUses {
  counts: ReadonlyMap<string, number>;
  add(tool: string): void;
}

/** The subset of `Records` of `@ccl/records` that is needed. */
interface UsesLog {
  readLog(name: string, page: object): Promise<{ entries: unknown[]; version: number }>;
  write(changes: readonly object[]): Promise<unknown>;
}

/** Number of latest calls that count. */
const maxUses = 10_000;

/**
 * Keeps a project's successful calls in a log that several proxies may share. Once the log has twice as many calls as
 * count, it is shortened to those. A call that can't be stored still counts until the process ends, and `close` rejects
 * with the reason.
 */
export async function openToolUses(
  log: UsesLog,
  project: string,
): Promise<ToolUses & { close(): Promise<void> }> {
  const append = `mcp/uses/${project}`;
  const { version } = await log.readLog(append, { limit: 1 });
  const from = Math.max(version - maxUses, 0);
  const { entries } = await log.readLog(append, { from, limit: maxUses });
  // Fails if another proxy is appending at that moment. The next proxy that opens the log tries again.
  if (from >= maxUses)
    await log
      .write([{ removeLog: append, expectedVersion: version }])
      .then(() => log.write([{ append, entries }]))
      .catch(() => undefined);
  const counts = new Map<string, number>();
  const count = (tool: string): unknown => counts.set(tool, (counts.get(tool) ?? 0) + 1);
  entries.map(String).forEach(count);
  let writing: Promise<unknown> = Promise.resolve();
  return {
    counts,
    add(tool) {
      count(tool);
      writing = writing.then(() => log.write([{ append, entries: [tool] }]));
      writing.catch(() => undefined);
    },
    close: async () => void (await writing),
  };
}
