export { createReplayModel, type ReplayOptions, type ReplayStore } from "./create-replay-model.ts";
export { ReplayError, type ReplayErrorCode } from "./replay-error.ts";
export type { StreamingModel } from "../http/create-wire-model.ts";
