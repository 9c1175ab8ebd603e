export { explainModelFailure } from "./explain-model-failure.ts";
export { findModel, type FoundModel } from "./find-model.ts";
export { type Environment, namedModel } from "./named-model.ts";
