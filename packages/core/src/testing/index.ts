export { createFixedClock, type FixedClock } from "./fixed-clock.ts";
export { createScriptedEmbedder } from "./scripted-embedder.ts";
export {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedResponse,
} from "./scripted-model.ts";
export { createSequentialIds } from "./sequential-ids.ts";
export { wordCounter } from "./word-counter.ts";
