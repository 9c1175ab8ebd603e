/** The deepest nesting that can be asked for: the walk recurses that far. */
export const DEEPEST_LIMIT = 2000;

/** Whether objects and arrays nest deeper than the limit. Walking the value is much cheaper than reading its text again. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return limit === 0 || items.some((item) => isContainer(item) && isDeeperThan(item, limit - 1));
  }
  if (!isContainer(value)) return false;
  if (limit === 0) return true;
  for (const key in value) {
    const child = value[key];
    if (isContainer(child) && isDeeperThan(child, limit - 1)) return true;
  }
  return false;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
