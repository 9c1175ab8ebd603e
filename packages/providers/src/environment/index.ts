export { explainModelFailure } from "./explain-model-failure.ts";
export { findModel, type FoundModel } from "./find-model.ts";
export { namedModel } from "./named-model.ts";
