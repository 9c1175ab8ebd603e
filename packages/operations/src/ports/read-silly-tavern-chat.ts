import { failure, type Issue, type Result, success } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson, withoutUndefined } from "@ccl/core/json";

import type { StoredTurn, StoredVariant } from "./chat-turn.ts";

/**
 * The turns of a chat that SillyTavern has exported (JSONL), for `importTurns`: swipes become variants, hidden system lines
 * are left out, and an answer that no message of the user precedes, such as the greeting, gets a turn with an empty one. All
 * bad lines are issues.
 */
export function readSillyTavernChat(jsonl: string): Result<StoredTurn[]> {
  const turns: StoredTurn[] = [];
  const issues: Issue[] = [];
  for (const [index, line] of jsonl
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const entry = parseJson(line);
    if (!isRecord(entry) || (index > 0 && typeof entry["mes"] !== "string")) {
      const message = `Line ${index + 1} is no message of SillyTavern: a JSON object with a text "mes".`;
      issues.push({ code: "invalid_line", path: [index], message });
    } else if (typeof entry["mes"] === "string" && entry["is_system"] !== true)
      addMessage(turns, entry, `message-${index}`);
  }
  if (issues.length > 0) return { ok: false, issues };
  if (turns.length > 0) return success(turns);
  return failure({ code: "invalid_line", path: [], message: "The text holds no message." });
}

function addMessage(turns: StoredTurn[], entry: JsonRecord, id: string): void {
  const last = turns.at(-1);
  const { variants, selected } = variantsOf(entry, id);
  if (entry["is_user"] === true) turns.push(turnOf(id, variants, selected));
  else if (last !== undefined && last.assistantVariants.length === 0) {
    last.assistantVariants = variants;
    last.selectedAssistant = selected;
  } else {
    const turn = turnOf(`${id}/user`, [{ variantId: `${id}/user`, content: "" }], 0);
    turns.push({ ...turn, assistantVariants: variants, selectedAssistant: selected });
  }
}

function turnOf(
  userMessageId: string,
  userVariants: StoredVariant[],
  selectedUser: number,
): StoredTurn {
  return { userMessageId, userVariants, selectedUser, assistantVariants: [] };
}

function variantsOf(
  { mes, swipes, swipe_id: swipeId, swipe_info: swipeInfo, name, send_date, extra }: JsonRecord,
  id: string,
): { variants: StoredVariant[]; selected: number } {
  const shown = typeof mes === "string" ? mes : "";
  const texts = Array.isArray(swipes) ? swipes.filter((text) => typeof text === "string") : [];
  const at = typeof swipeId === "number" && texts[swipeId] !== undefined ? swipeId : 0;
  // The message itself may have been edited after that swipe.
  if (texts.length === 0) texts.push(shown);
  else texts[at] = shown;
  const named = typeof name === "string" ? { name } : {};
  const variants = texts.map((content, index): StoredVariant => {
    // Of the message that is shown its own fields count, of others what is kept of their swipe.
    const info: unknown = Array.isArray(swipeInfo) ? swipeInfo[index] : undefined;
    const own = index === at ? { send_date, extra } : {};
    const of = { send_date, ...(isRecord(info) ? info : {}), ...withoutUndefined(own) };
    const kept = isRecord(of.extra) && Object.keys(of.extra).length > 0 ? of.extra : undefined;
    const meta = { ...named, sentAt: of.send_date, extra: kept };
    const variantId = index === 0 ? id : `${id}/${index}`;
    return { variantId, content, meta: JSON.parse(JSON.stringify(meta)) };
  });
  return { variants, selected: at };
}
