// Which messages of the log a prompt shows: whole, shortened, or not at all.

/** States of a message in a prompt. */
export const gone = 0;
export const shortened = 1;
export const whole = 2;

/** The state of each message before a call whose prompt is `context`. */
export function visibleParts(context, index) {
  const states = Array.from({ length: index }, () => whole);
  // The last processor decides what is shown. Its indexes are those of the log, which starts with the system prompt.
  for (const { action, from, to } of context.trace.at(-1).changes) {
    const state = action === "dropped" ? gone : shortened;
    if (action !== "repaired" && action !== "reset") states.fill(state, from, to);
  }
  return states;
}

/** A map as text: a row for each of some calls, from the start of the log to its end. */
export function drawMap(rows, { sizes, width, height }) {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const lines = Array.from({ length: height }, (_, line) => {
    const at = Math.round(((line + 1) * rows.length) / height) - 1;
    const cells = Array.from({ length: width }, () => ({ size: 0, shown: 0, isShort: false }));
    let start = 0;
    for (const [message, state] of rows[at].entries()) {
      const end = start + (sizes[message] / total) * width;
      for (let place = Math.floor(start); place < Math.min(end, width); place += 1) {
        const size = Math.min(end, place + 1) - Math.max(start, place);
        cells[place].size += size;
        if (state === whole) cells[place].shown += size;
        cells[place].isShort ||= state === shortened;
      }
      start = end;
    }
    const text = cells.map(({ size, shown, isShort }) => {
      if (size === 0) return " ";
      if (shown > size * 0.999) return "█";
      return shown > size / 2 ? "▓" : shown > 0 || isShort ? "░" : "·";
    });
    return `${String(at + 1).padStart(6)}  ${text.join("").trimEnd()}`;
  });
  return lines.join("\n");
}

/** The messages of a prompt, one line each, so that a person sees what the model saw. */
export function listPrompt(context, { width, edge, countOf }) {
  const messages = context.toMessages();
  const lines = messages.map((message) => {
    const { role, content, toolCalls = [] } = message;
    const calls = toolCalls.map(({ name, arguments: input }) => `${name}(${input})`).join(" ");
    const text = `${content} ${calls}`.replace(/\s+/g, " ").trim();
    const line = `${role.padEnd(9)} ${String(countOf(message)).padStart(6)}  ${text}`;
    return line.length > width ? `${line.slice(0, width - 1)}…` : line;
  });
  if (lines.length <= 2 * edge) return lines.join("\n");
  const left = `          (${lines.length - 2 * edge} messages more)`;
  return [...lines.slice(0, edge), left, ...lines.slice(-edge)].join("\n");
}
