// Recorded sessions of other programs as chat messages: SWE-agent trajectories and Claude Code log lines.
import fs from "node:fs";
import path from "node:path";

/** All sessions of a folder whose format is known. Calls without an id get one. */
export function readRecordedTraces(folder) {
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  return names.flatMap((name) => {
    const data = JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
    if (Array.isArray(data.history))
      return [{ name: name.split(".")[0], messages: fromTrajectory(data.history), tools: [] }];
    if (Array.isArray(data.loglines))
      return [{ name: name.split(".")[0], messages: fromLogLines(data.loglines), tools: [] }];
    return Array.isArray(data.messages)
      ? [{ name: name.split(".")[0], messages: data.messages, tools: data.tools ?? [] }]
      : [];
  });
}

/** Joins sessions to one long one, under the first system prompt. Each dialogue keeps its name. */
export function joinTraces(name, traces) {
  const messages = traces.flatMap(({ name: source, messages: list }, index) =>
    list
      .filter(({ role }) => index === 0 || role !== "system")
      .map((message) => ({ ...message, source })),
  );
  return { name, messages, tools: traces[0]?.tools ?? [] };
}

function fromTrajectory(history) {
  const messages = [];
  let open = [];
  for (const { role, content, tool_calls: calls, tool_call_ids: ids, action } of history) {
    if (role === "assistant") {
      const given = (calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
      }));
      const own =
        action === undefined
          ? []
          : [
              {
                id: `call_${messages.length}`,
                name: "run",
                arguments: JSON.stringify({ command: action }),
              },
            ];
      open = given.length > 0 ? given : own;
      messages.push({ role, content, ...(open.length > 0 ? { toolCalls: open } : {}) });
    } else if (open.length > 0) {
      messages.push({ role: "tool", toolCallId: ids?.[0] ?? open[0].id, content });
      open = [];
    } else {
      messages.push({ role, content });
    }
  }
  return messages;
}

function fromLogLines(lines) {
  const messages = [];
  for (const { message } of lines) {
    if (message === undefined) continue;
    const parts =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : message.content;
    for (const part of parts.filter(({ type }) => type === "tool_result")) {
      messages.push({
        role: "tool",
        toolCallId: part.tool_use_id,
        content: textOf(part.content) || "(empty)",
      });
    }
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const toolCalls = parts
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
    if (text !== "" || toolCalls.length > 0) {
      messages.push({
        role: message.role,
        content: text,
        ...(toolCalls.length > 0 ? { toolCalls } : {}),
      });
    }
  }
  return messages;
}

function textOf(content) {
  return typeof content === "string"
    ? content
    : (content ?? []).map((part) => part.text ?? "").join("\n");
}
