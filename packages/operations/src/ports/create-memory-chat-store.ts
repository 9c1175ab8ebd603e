import { throwIfAborted } from "@ccl/core/async";

import type { ChatMessage } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import { branchKey } from "./branch-key.ts";
import type { ChatBranch, ChatStore } from "./chat-store.ts";
import { answerMessage, commitOperations, saveVariant, type StoredTurn } from "./chat-turn.ts";

/** A chat in memory that can be looked at. */
export interface MemoryChatStore extends ChatStore {
  /** The turns of a branch, oldest first; copies. */
  turns(branch: ChatBranch): StoredTurn[];
}

/** What a chat begins with. */
export interface MemoryChatStoreOptions {
  /** Stand before the first turn of every branch: a system prompt, a greeting. */
  preamble?: readonly ChatMessage[] | undefined;
}

interface StoredBranch {
  turns: Map<string, StoredTurn>;
  fencingToken: number;
  /** `runId/hook/operationId` of what was applied; absent while nothing was. */
  applied?: Set<string> | undefined;
}

/** A chat in memory, gone with the process. */
export function createMemoryChatStore(options: MemoryChatStoreOptions = {}): MemoryChatStore {
  const { preamble = [] } = options;
  const branches = new Map<string, StoredBranch>();
  const branchOf = (at: ChatBranch): StoredBranch => {
    const key = branchKey(at);
    const known = branches.get(key);
    if (known !== undefined) return known;
    const branch: StoredBranch = { turns: new Map(), fencingToken: 0 };
    branches.set(key, branch);
    return branch;
  };
  return {
    async appendUserMessage({ chatId, branchId, userMessageId, content }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const { turns } = branchOf({ chatId, branchId });
      if (turns.has(userMessageId)) return;
      const userVariants = [{ variantId: userMessageId, content }];
      turns.set(userMessageId, {
        userMessageId,
        userVariants,
        selectedUser: 0,
        assistantVariants: [],
      });
    },
    async loadTurn({ userMessageId, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const { turns } = branchOf(at);
      const wanted = userMessageId ?? [...turns.keys()].at(-1);
      if (wanted === undefined || !turns.has(wanted)) return undefined;
      return { userMessageId: wanted, history: [...preamble, ...historyUntil(turns, wanted)] };
    },
    async commitTurn(commit, call) {
      throwIfAborted(call?.signal, OperationsError);
      const branch = branchOf(commit);
      fence(branch, commit.fencingToken);
      const turn = turnOf(branch, commit.userMessageId);
      branch.applied ??= new Set();
      return commitOperations({ applied: branch.applied, turn, commit });
    },
    async saveAssistantVariant(variant, call) {
      throwIfAborted(call?.signal, OperationsError);
      const branch = branchOf(variant);
      fence(branch, variant.fencingToken);
      saveVariant(turnOf(branch, variant.userMessageId), variant);
    },
    turns: (branch) => structuredClone([...branchOf(branch).turns.values()]),
  };
}

function historyUntil(turns: ReadonlyMap<string, StoredTurn>, last: string): ChatMessage[] {
  const history: ChatMessage[] = [];
  for (const turn of turns.values()) {
    const user = turn.userVariants[turn.selectedUser];
    if (user !== undefined)
      history.push({ id: turn.userMessageId, role: "user", content: user.content });
    if (turn.userMessageId === last) break;
    const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
    const message = answer && answerMessage(answer);
    if (message !== undefined) history.push(message);
  }
  return history;
}

function fence(branch: StoredBranch, fencingToken: number): void {
  if (fencingToken < branch.fencingToken) {
    const message = `The lease with token ${fencingToken} is over: token ${branch.fencingToken} has written to the chat.`;
    throw new OperationsError("stale_lease", message);
  }
  branch.fencingToken = fencingToken;
}

function turnOf(branch: StoredBranch, userMessageId: string): StoredTurn {
  const turn = branch.turns.get(userMessageId);
  if (turn !== undefined) return turn;
  throw new OperationsError(
    "unknown_turn",
    `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
  );
}
