export { createReplayModel, type ReplayStore } from "./create-replay-model.ts";
export { ReplayError, type ReplayErrorCode } from "./replay-error.ts";
