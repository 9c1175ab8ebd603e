interface Waiting {
  callbacks: Set<() => void>;
  tell: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back once the signal is aborted; gives a function that takes it back. All who wait for one signal share a
 * listener, since Node warns of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, tell } = waiting.get(signal) ?? listen(signal);
  const own = (): void => callback();
  callbacks.add(own);
  return () => {
    callbacks.delete(own);
    if (callbacks.size > 0 || waiting.get(signal)?.tell !== tell) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const tell = (): void => {
    waiting.delete(signal);
    signal.removeEventListener("abort", tell);
    for (const each of callbacks) each();
  };
  waiting.set(signal, { callbacks, tell });
  signal.addEventListener("abort", tell);
  return { callbacks, tell };
}
