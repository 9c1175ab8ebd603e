import { EventEmitter } from "eventemitter3";

import { callListener, type ListenerErrorHandler } from "./call-listener.ts";

/** Options of `createEmitter`. */
interface EmitterOptions {
  /**
   * Receives the errors of listeners. Must not throw. By default, errors go to `reportError` or the
   * console.
   */
  onListenerError?: ListenerErrorHandler | undefined;
}

/** An emitter of typed events. `Events` maps each event name to its payload. */
export interface Emitter<Events extends object> {
  /**
   * Subscribes a listener to later events of that name. Returns a function that unsubscribes it.
   */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (payload: Events[Name]) => unknown,
  ): () => void;
  /** Calls the listeners in the order of their subscription, without waiting for their promises. */
  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void;
  /** True if the event has a listener. Callers can skip building an expensive payload if not. */
  hasListeners(name: keyof Events & string): boolean;
  /** Unsubscribes every listener. */
  clear(): void;
}

/**
 * Creates an emitter that listeners cannot break: their errors are reported, and the other
 * listeners still run.
 */
export function createEmitter<Events extends object>(
  options: EmitterOptions = {},
): Emitter<Events> {
  const { onListenerError } = options;
  const emitter = new EventEmitter();
  return {
    on(name, listener) {
      const guarded = (payload: Events[typeof name]): void =>
        callListener(listener, payload, onListenerError);
      emitter.on(name, guarded);
      return () => void emitter.off(name, guarded);
    },
    emit: (name, payload) => void emitter.emit(name, payload),
    hasListeners: (name) => emitter.listenerCount(name) > 0,
    clear: () => void emitter.removeAllListeners(),
  };
}
