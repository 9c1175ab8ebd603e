import { EventEmitter } from "eventemitter3";

import { callListener, type ListenerErrorHandler } from "./call-listener.ts";

/** Options of `createEmitter`. */
export interface EmitterOptions {
  /** Receives the errors of listeners. Must not throw. Default: `reportListenerError`. */
  onListenerError?: ListenerErrorHandler | undefined;
}

/** Typed events: `Events` maps the name of each event to its payload. */
export interface Emitter<Events extends object> {
  /** Calls the listener for each later event of that name. Returns a function that unsubscribes it. */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (payload: Events[Name]) => unknown,
  ): () => void;
  /** Calls the listeners in the order of their subscription, and waits for none of their promises. */
  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void;
  /** True if the event has a listener, so that an expensive payload need not be built without one. */
  hasListeners(name: keyof Events & string): boolean;
  /** Unsubscribes every listener. */
  clear(): void;
}

/** Creates an emitter whose listeners cannot fail it: their errors are reported, and the others still run. */
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
