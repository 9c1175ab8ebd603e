import type { Part } from "@ccl/core";

import type {
  AssistantVariant,
  ChatBranch,
  StoreCall,
  TurnCommit,
} from "../src/ports/chat-store.ts";
import type { ConversationStore } from "../src/ports/conversation-store.ts";
import type { RunAppend, RunInput } from "../src/ports/run-store.ts";
import type { OperationStores } from "../src/stores/create-operation-stores.ts";
import { append, created, newRun, resultOf } from "./run-records.ts";

/** A message that begins a turn. */
export interface UserMessage extends ChatBranch {
  userMessageId: string;
  content: string | Part[];
}

/** A chat, with what runs write to it. Each write is a run of its own, which ends at once. */
export interface WrittenChat extends ConversationStore {
  say(message: UserMessage, options?: StoreCall): Promise<void>;
  answer(variant: AssistantVariant): Promise<void>;
  commit(commit: TurnCommit): Promise<void>;
}

/** The chat of these stores. */
export function writtenChat({ runs, chat }: Pick<OperationStores, "runs" | "chat">): WrittenChat {
  const write = async (
    { chatId, branchId, userMessageId }: ChatBranch & { userMessageId: string },
    { userMessage, ...added }: Partial<RunAppend> & Pick<RunInput, "userMessage">,
    options?: StoreCall,
  ): Promise<void> => {
    const runId = `write ${crypto.randomUUID()}`;
    const run = newRun(runId, { chatId, branchId, userMessageId, userMessage });
    const lease = await created({ ...runs, createRun: (of) => runs.createRun(of, options) }, run);
    await runs.append(append(lease, { result: resultOf(runId), ...added }), options);
  };
  return {
    ...chat,
    say: ({ content, ...at }, options) => write(at, { userMessage: content }, options),
    answer: (answer) => write(answer, { answer }),
    commit: (commit) => write(commit, { commit }),
  };
}
