interface Watch {
  callbacks: Set<() => void>;
  listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls back at an abort, until what it returns is called. A signal has one listener however many calls share it: Node
 * takes more than ten for a leak, and keeps some signals alive for as long as they have one.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = watches.get(signal) ?? newWatch(signal);
  if (callbacks.size === 0) signal.addEventListener("abort", listener, { once: true });
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0)
      signal.removeEventListener("abort", listener);
  };
}

function newWatch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    callbacks.forEach((callback) => callback());
    callbacks.clear();
  };
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  return watch;
}
