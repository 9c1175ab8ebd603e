export { contextMiddleware } from "./context-middleware.ts";
export { contextStep } from "./context-step.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
