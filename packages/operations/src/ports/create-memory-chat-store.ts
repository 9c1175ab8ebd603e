import { throwIfAborted } from "@ccl/core/async";
import { pageLimit } from "@ccl/core/paging";

import type { ChatMessage } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import { branchKey } from "./branch-key.ts";
import type { KeptState, KeptWrite } from "./chat-state.ts";
import type { ChatBranch } from "./chat-store.ts";
import {
  historyOf,
  commitOperations,
  firstPosition,
  keepStates,
  saveVariant,
  shownState,
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

/** An in-memory chat whose turns can be read synchronously. */
export interface MemoryChatStore extends ConversationStore {
  /** Returns copies. */
  turns(branch: ChatBranch, window?: TurnWindow): StoredTurn[];
}

/** Options of an in-memory chat. */
export interface MemoryChatStoreOptions {
  /** Messages before the first turn of every branch, such as a system prompt or a greeting. */
  preamble?: readonly ChatMessage[] | undefined;
}

interface StoredBranch {
  turns: Map<string, StoredTurn>;
  /** By user message and run, in commit order. */
  writes: Map<string, Map<string, KeptWrite[]>>;
  fencingToken: number;
  /** `runId/hook/operationId` of the effects that were applied. Absent if there are none. */
  applied?: Set<string> | undefined;
}

/** A chat in memory, lost when the process ends. */
export function createMemoryChatStore(options: MemoryChatStoreOptions = {}): MemoryChatStore {
  const { preamble = [] } = options;
  const branches = new Map<string, StoredBranch>();
  const branchOf = (at: ChatBranch): StoredBranch => {
    const key = branchKey(at);
    const known = branches.get(key);
    if (known !== undefined) return known;
    const branch: StoredBranch = { turns: new Map(), writes: new Map(), fencingToken: 0 };
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
      const keep = (write: KeptWrite): void => keepIn(branch, turn.userMessageId, write);
      return commitOperations({ applied: branch.applied, turn, commit, keep });
    },
    async saveAssistantVariant(variant, call) {
      throwIfAborted(call?.signal, OperationsError);
      const branch = branchOf(variant);
      fence(branch, variant.fencingToken);
      saveVariant(turnOf(branch, variant.userMessageId), variant);
    },
    async keptState({ session, before, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      return keptStateOf(branchOf(at), session, before);
    },
    async writesOf(runId, call) {
      throwIfAborted(call?.signal, OperationsError);
      return [...branches.values()].flatMap(({ writes }) =>
        [...writes.values()].flatMap((byRun) => byRun.get(runId) ?? []),
      );
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
      return deleteTurns(branchOf(at), from, to);
    },
    async importTurns({ turns: imported, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const ofChat = [...branches].filter(([key]) => JSON.parse(key)[0] === at.chatId);
      const known = ofChat.flatMap(([, { writes }]) => [...writes.values()]);
      for (const turn of imported) importTurn(branchOf(at), structuredClone(turn), known);
    },
    async fork({ userMessageId, newBranchId, ...at }, call) {
      throwIfAborted(call?.signal, OperationsError);
      const target = branchOf({ ...at, branchId: newBranchId });
      copyTurns(branchOf(at), target, { userMessageId, newBranchId });
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

function deleteTurns(branch: StoredBranch, from: string, to: string | undefined): number {
  for (const id of [from, to]) if (id !== undefined) turnOf(branch, id);
  const ids = [...branch.turns.keys()];
  const gone = ids.slice(ids.indexOf(from), to === undefined ? ids.length : ids.indexOf(to) + 1);
  for (const id of gone) {
    branch.turns.delete(id);
    branch.writes.delete(id);
  }
  return gone.length;
}

/** Adds a turn, and copies what its runs wrote if another branch has it. */
function importTurn(
  branch: StoredBranch,
  turn: StoredTurn,
  known: readonly ReadonlyMap<string, KeptWrite[]>[],
): void {
  const { userMessageId } = turn;
  if (branch.turns.has(userMessageId)) return;
  keepStates(turn, (runId) => {
    const writes = known.findLast((byRun) => byRun.has(runId))?.get(runId) ?? [];
    for (const write of writes) keepIn(branch, userMessageId, write);
    return writes.length > 0;
  });
  branch.turns.set(userMessageId, turn);
}

function copyTurns(
  source: StoredBranch,
  target: StoredBranch,
  { userMessageId, newBranchId }: { userMessageId: string; newBranchId: string },
): void {
  turnOf(source, userMessageId);
  if (target.turns.size > 0) throw takenBranch(newBranchId);
  for (const [id, turn] of source.turns) {
    target.turns.set(id, structuredClone(turn));
    target.writes.set(id, new Map(source.writes.get(id)));
    if (id === userMessageId) return;
  }
}

function keepIn({ writes }: StoredBranch, userMessageId: string, write: KeptWrite): void {
  const byRun = writes.get(userMessageId) ?? new Map<string, KeptWrite[]>();
  writes.set(userMessageId, byRun);
  byRun.set(write.runId, [...(byRun.get(write.runId) ?? []), write]);
}

function keptStateOf(
  { turns, writes }: StoredBranch,
  session: string,
  before: string | undefined,
): KeptState {
  let heads: KeptState["heads"] = {};
  const shown: KeptWrite[] = [];
  for (const turn of turns.values()) {
    if (turn.userMessageId === before) break;
    const state = shownState(turn);
    if (state?.session !== session) continue;
    ({ heads } = state);
    shown.push(...(writes.get(turn.userMessageId)?.get(state.runId) ?? []));
  }
  const runs = new Set(Object.values(heads));
  const all = [...writes.values()].flatMap((byRun) => [...byRun]);
  const hidden = all.flatMap(([runId, kept]) => (runs.has(runId) ? kept : []));
  return { heads, shown, hidden: hidden.filter((kept) => !shown.includes(kept)) };
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
