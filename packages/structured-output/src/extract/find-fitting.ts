const MAX_CHECKS = 256;

/** The outermost value that is accepted, and the way to it; level by level, and only the first few hundred containers. */
export function findFitting(
  root: unknown,
  accept: (value: unknown) => boolean,
): { value: unknown; path: (string | number)[] } | undefined {
  const queue: { value: unknown; path: (string | number)[] }[] = [{ value: root, path: [] }];
  for (const { value, path } of queue) {
    if (accept(value)) return { value, path };
    if (typeof value !== "object" || value === null) continue;
    for (const [key, child] of entries(value)) {
      if (queue.length >= MAX_CHECKS) break;
      if (typeof child === "object" && child !== null)
        queue.push({ value: child, path: [...path, key] });
    }
  }
  return undefined;
}

function* entries(value: object): Generator<[string | number, unknown]> {
  if (Array.isArray(value)) yield* value.entries();
  else yield* Object.entries(value);
}
