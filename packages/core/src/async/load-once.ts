/**
 * Creates a function that loads on its first call and returns that value to every caller. After a
 * failure, the next call tries again.
 */
export function loadOnce<Value>(load: () => Promise<Value> | Value): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () =>
    (loading ??= Promise.resolve()
      .then(load)
      .catch((error) => {
        loading = undefined;
        throw error;
      }));
}
