export { type PromptStores, promptViews } from "./prompt-views.ts";
export { runPrompt } from "./run-prompt.ts";
export { artifactsOf, stateOf } from "./run-state.ts";
export { textOfMessage } from "./text-of-message.ts";
