export { withContext } from "./with-context.ts";
export type { ConversationStore } from "../conversations/conversation-store.ts";
