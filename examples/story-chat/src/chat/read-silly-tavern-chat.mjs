const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The turns of a chat that SillyTavern exported (JSONL), for `importTurns`. Swipes become variants, and hidden system
 * lines are dropped. An answer without a preceding user message, such as the greeting, gets a turn with an empty one.
 * Throws with all bad lines.
 *
 * @param {string} jsonl
 * @returns {import("@ccl/operations").StoredTurn[]}
 */
export function readSillyTavernChat(jsonl) {
  const lines = jsonl.replace(/^\uFEFF/, "").split("\n");
  const entries = lines.map((line) => (line.trim() === "" ? undefined : parsed(line)));
  const isBad = (entry, index) =>
    entry !== undefined && !(isObject(entry) && (index === 0 || typeof entry.mes === "string"));
  const bad = entries.flatMap((entry, index) => (isBad(entry, index) ? [index + 1] : []));
  if (bad.length > 0) {
    const which = bad.length === 1 ? `Line ${bad[0]} is` : `Lines ${bad.join(", ")} are`;
    throw new Error(`${which} no message of SillyTavern: a JSON object with a text "mes".`);
  }
  const turns = [];
  for (const [index, entry] of entries.entries())
    if (typeof entry?.mes === "string" && entry.is_system !== true)
      addMessage(turns, entry, `message-${index}`);
  if (turns.length === 0) throw new Error("The text holds no message.");
  return turns;
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function addMessage(turns, entry, id) {
  const last = turns.at(-1);
  const { variants, selected } = variantsOf(entry, id);
  const turn = { userMessageId: id, userVariants: variants, selectedUser: selected };
  if (entry.is_user === true) turns.push({ ...turn, assistantVariants: [] });
  else if (last?.assistantVariants.length === 0)
    Object.assign(last, { assistantVariants: variants, selectedAssistant: selected });
  else {
    const nothing = [{ variantId: `${id}/user`, content: "" }];
    turns.push({
      userMessageId: `${id}/user`,
      userVariants: nothing,
      selectedUser: 0,
      assistantVariants: variants,
      selectedAssistant: selected,
    });
  }
}

function variantsOf({ mes, swipes, swipe_id, swipe_info, name, send_date, extra }, id) {
  const given = Array.isArray(swipes) ? swipes : [];
  // Not every swipe is a text. `swipe_id` and `swipe_info` count all of them.
  const texts = given.flatMap((text, at) => (typeof text === "string" ? [{ text, at }] : []));
  if (texts.length === 0) texts.push({ text: mes, at: 0 });
  const selected = Math.max(
    0,
    texts.findIndex(({ at }) => at === swipe_id),
  );
  const variants = texts.map(({ text, at }, index) => {
    const isShown = index === selected;
    // The shown message counts with its own fields, other swipes with what was stored for them.
    const kept = { send_date, ...swipe_info?.[at] };
    if (isShown) Object.assign(kept, stated({ send_date, extra }));
    const isEmpty = !isObject(kept.extra) || Object.keys(kept.extra).length === 0;
    const meta = { name, sentAt: kept.send_date, extra: isEmpty ? undefined : kept.extra };
    const variantId = index === 0 ? id : `${id}/${index}`;
    // The message itself may have been edited after that swipe.
    return { variantId, content: isShown ? mes : text, meta: stated(meta) };
  });
  return { variants, selected };
}

/** Removes undefined fields. */
function stated(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
