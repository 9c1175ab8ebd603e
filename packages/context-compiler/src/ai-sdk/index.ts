export {
  contextMiddleware,
  type AiSdkInterface,
  type AiSdkPrompt,
  type ContextMiddleware,
  type ContextMiddlewareOptions,
} from "./context-middleware.ts";
export type { ConversationStates } from "./conversation-states.ts";
