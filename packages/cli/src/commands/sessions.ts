import { searchTurns, type StoredTurn } from "@ccl/operations";
import { textOfMessage } from "@ccl/inspector/stores";

import { usageError } from "../cli-error.ts";
import { printableLines } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import { withStores } from "../run-stores.ts";
import type { CommandResult, Session } from "../session.ts";
import type { RunFlags } from "./runs.ts";

/** Lists the conversations of a store. */
export async function sessionList(session: Session, flags: RunFlags): Promise<CommandResult> {
  return withStores(session, flags, async ({ chat }) => {
    const { branches } = await chat.branches({ limit: flags.limit });
    const rows = branches.map(({ chatId, branchId, turns }) => [chatId, branchId, turns]);
    return {
      document: { sessions: branches },
      text: tableOf(["chat", "branch", { right: "turns" }], rows, "No conversations.\n"),
    };
  });
}

/** Shows the messages of one conversation. */
export async function sessionShow(
  session: Session,
  chatId: string,
  flags: RunFlags,
): Promise<CommandResult> {
  return withStores(session, flags, async ({ chat }) => {
    const { branch: branchId = "main", limit = 20, find } = flags;
    const branch = { chatId, branchId };
    const turns =
      find === undefined
        ? await chat.turns(branch, { limit })
        : await searchTurns(chat, branch, { text: find, limit });
    if (turns.length === 0 && find === undefined) {
      const message = `The store has no chat ${JSON.stringify(chatId)} with a branch ${JSON.stringify(branchId)}; see ccl session list.`;
      throw usageError(message);
    }
    const text = turns.map(textOf).join("\n\n");
    return { document: { chatId, branchId, turns }, text: `${text || "No turn matches."}\n` };
  });
}

function textOf(turn: StoredTurn): string {
  const { userVariants, assistantVariants, selectedUser, selectedAssistant = -1 } = turn;
  const answer = assistantVariants[selectedAssistant];
  const others =
    assistantVariants.length > 1
      ? ` (${selectedAssistant + 1} of ${assistantVariants.length})`
      : "";
  const lines = [`user: ${textOfMessage(userVariants[selectedUser] ?? {})}`];
  for (const message of answer?.messages ?? [])
    lines.push(`  ${message.role}: ${textOfMessage(message).slice(0, 200)}`);
  if (answer !== undefined)
    lines.push(
      `assistant${others}: ${textOfMessage({ content: answer.content })}${answer.partial ? " [cut off]" : ""}`,
    );
  return printableLines(lines.join("\n"));
}
