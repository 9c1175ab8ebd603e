// An MCP server over stdio without a library: "echo" answers with its `text`, "ask" asks the client's model, "change" adds a
// tool, and sends each kind of notification and its result in one piece.
import { createInterface } from "node:readline";

const write = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const asked = new Map();
const names = ["change", "ask", "echo"];

function answer(id, text) {
  write({ id, result: { content: [{ type: "text", text }] } });
}

function call(id, { name, arguments: input = {}, _meta = {} }) {
  if (name === "echo") return answer(id, String(input.text));
  if (name === "ask") {
    asked.set(`ask-${id}`, id);
    const messages = [{ role: "user", content: { type: "text", text: "?" } }];
    write({ id: `ask-${id}`, method: "sampling/createMessage", params: { messages, maxTokens: 5 } });
    return undefined;
  }
  names.push(`added${names.length}`);
  const { progressToken } = _meta;
  if (progressToken !== undefined)
    write({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
  write({ method: "notifications/message", params: { level: "warning", data: "said" } });
  write({ method: "notifications/resources/updated", params: { uri: "test://one" } });
  for (const kind of ["tools", "prompts", "resources"])
    write({ method: `notifications/${kind}/list_changed` });
  return answer(id, "changed");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (asked.has(id)) answer(asked.get(id), result.content.text);
  else if (method === "tools/call") call(id, params);
  else if (method === "initialize") {
    const capabilities = {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
    };
    const { protocolVersion } = params;
    const serverInfo = { name: "notifying", version: "1" };
    write({ id, result: { protocolVersion, capabilities, serverInfo } });
  } else if (method === "tools/list") {
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    write({ id, result: { tools } });
  } else if (id !== undefined) write({ id, result: { resources: [], prompts: [] } });
});
