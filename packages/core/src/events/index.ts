export { callListener, type ListenerErrorHandler } from "./call-listener.ts";
export { createEmitter, type Emitter } from "./create-emitter.ts";
