export { callListener, reportListenerError, type ListenerErrorHandler } from "./call-listener.ts";
export { createEmitter, type Emitter, type EmitterOptions } from "./create-emitter.ts";
