export { contextMiddleware } from "./context-middleware.ts";
export type { ConversationOptions } from "../conversations/fit-conversation.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
