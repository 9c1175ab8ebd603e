export { contextMiddleware } from "./context-middleware.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
