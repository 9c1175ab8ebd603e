export { withContext } from "./with-context.ts";
export type { ConversationOptions } from "../conversations/fit-conversation.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
export type { ApiClient } from "../conversations/with-fitted-bodies.ts";
