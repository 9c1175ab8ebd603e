/** A map of things that come and go. */
export interface PassingMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/**
 * An empty map that lets go of what is deleted. V8's own maps point from each table that they have outgrown to the next
 * one, so that a table in old space keeps the later ones alive with all that they held, until a full collection; here
 * that is a holder for each key, which is empty by then.
 */
export function createPassingMap<Value>(): PassingMap<Value> {
  const holders = new Map<string, { value: Value | undefined }>();
  return {
    get: (key) => holders.get(key)?.value,
    set(key, value) {
      holders.set(key, { value });
    },
    delete(key) {
      const holder = holders.get(key);
      if (holder !== undefined) holder.value = undefined;
      holders.delete(key);
    },
  };
}
