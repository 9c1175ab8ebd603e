export {
  contextMiddleware,
  type AiSdkInterface,
  type AiSdkPrompt,
  type ContextMiddleware,
} from "./context-middleware.ts";
export { contextStep, type AiSdkStep, type ContextStepOptions } from "./context-step.ts";
export type { ConversationOptions } from "../conversations/fit-conversation.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
