import type { ChatBranch } from "./chat-store.ts";

/** One text for a chat and its branch, whatever characters their ids hold. */
export function branchKey({ chatId, branchId }: ChatBranch): string {
  return JSON.stringify([chatId, branchId]);
}
