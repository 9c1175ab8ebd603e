import type { ChatBranch } from "./chat-store.ts";

/** Returns an unambiguous key for a chat and its branch, whatever characters their ids contain. */
export function branchKey({ chatId, branchId }: ChatBranch): string {
  return JSON.stringify([chatId, branchId]);
}
