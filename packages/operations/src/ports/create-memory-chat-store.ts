import { throwIfAborted } from "@ccl/core/async";
import { pageLimit } from "@ccl/core/paging";

import type { ChatMessage } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import { branchKey } from "./branch-key.ts";
import type { ChatBranch } from "./chat-store.ts";
import {
  answerMessages,
  commitOperations,
  firstPosition,
  saveVariant,
  type StoredTurn,
} from "./chat-turn.ts";
import {
  applyEdit,
  type BranchPage,
  type ListBranchesOptions,
  type ConversationStore,
  takenBranch,
  type TurnWindow,
  unknownTurn,
} from "./conversation-store.ts";

/** A chat in memory that can be looked at. */
export interface MemoryChatStore extends ConversationStore {
  /** Copies. */
  turns(branch: ChatBranch, window?: TurnWindow): StoredTurn[];
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
    async loadTurn({ userMessageId, maxTurns, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const { turns } = branchOf(at);
      const wanted = userMessageId ?? [...turns.keys()].at(-1);
      if (wanted === undefined || !turns.has(wanted)) return undefined;
      const position = [...turns.keys()].indexOf(wanted) + 1;
      const shown = [...turns.values()].slice(firstPosition(position, maxTurns) - 1, position);
      return { userMessageId: wanted, position, history: [...preamble, ...historyOf(shown)] };
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
    async branches(options) {
      throwIfAborted(options?.signal, OperationsError);
      return listBranches(branches, options);
    },
    turns(branch, { before, limit } = {}) {
      const all = [...branchOf(branch).turns.values()];
      const end = before === undefined ? all.length : all.findIndex(hasId(before));
      const start = limit === undefined ? 0 : Math.max(0, end - limit);
      return structuredClone(all.slice(start, Math.max(0, end)));
    },
    async editTurn(edit, call) {
      throwIfAborted(call?.signal, OperationsError);
      applyEdit(turnOf(branchOf(edit), edit.userMessageId), edit);
    },
    async deleteTurns({ from, to, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const { turns } = branchOf(at);
      for (const id of [from, to]) if (id !== undefined) turnOf(branchOf(at), id);
      const all = [...turns.values()];
      const end = to === undefined ? all.length : all.findIndex(hasId(to)) + 1;
      const gone = all.slice(all.findIndex(hasId(from)), end);
      for (const { userMessageId } of gone) turns.delete(userMessageId);
      return gone.length;
    },
    async importTurns({ turns: added, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const { turns } = branchOf(at);
      for (const turn of added)
        if (!turns.has(turn.userMessageId)) turns.set(turn.userMessageId, structuredClone(turn));
    },
    async fork({ userMessageId, newBranchId, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      turnOf(branchOf(at), userMessageId);
      const target = branchOf({ ...at, branchId: newBranchId });
      if (target.turns.size > 0) throw takenBranch(newBranchId);
      for (const turn of branchOf(at).turns.values()) {
        target.turns.set(turn.userMessageId, structuredClone(turn));
        if (turn.userMessageId === userMessageId) break;
      }
    },
  };
}

function listBranches(
  branches: ReadonlyMap<string, StoredBranch>,
  { cursor = "", limit }: ListBranchesOptions = {},
): BranchPage {
  const max = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const used = [...branches].filter(([key, { turns }]) => key > cursor && turns.size > 0);
  const keys = used.map(([key]) => key).sort();
  const page = keys.slice(0, max).map((key) => {
    const [chatId = "", branchId = ""]: string[] = JSON.parse(key);
    return { chatId, branchId, turns: branches.get(key)?.turns.size ?? 0 };
  });
  return { branches: page, cursor: keys.length > max ? keys[max - 1] : undefined };
}

function historyOf(turns: readonly StoredTurn[]): ChatMessage[] {
  const history: ChatMessage[] = [];
  for (const turn of turns) {
    const user = turn.userVariants[turn.selectedUser];
    if (user !== undefined && user.content.length > 0)
      history.push({ id: turn.userMessageId, role: "user", content: user.content });
    if (turn === turns.at(-1)) break;
    const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
    if (answer !== undefined) history.push(...answerMessages(answer));
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
  throw unknownTurn(userMessageId);
}

const hasId =
  (id: string) =>
  ({ userMessageId }: StoredTurn): boolean =>
    userMessageId === id;
