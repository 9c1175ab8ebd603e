export { explainModelFailure } from "./explain-model-failure.ts";
export { findModel, type FoundModel } from "./find-model.ts";
export { type Environment, namedModel, type NamedModelOptions } from "./named-model.ts";
export type { StreamingModel } from "../http/create-wire-model.ts";
