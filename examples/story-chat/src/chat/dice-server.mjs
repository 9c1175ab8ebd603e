// An MCP server with one tool, over stdio.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "dice", version: "1.0.0" });
server.registerTool("roll", { description: "Rolls a die with six sides." }, async () => ({
  content: [{ type: "text", text: String(1 + Math.floor(Math.random() * 6)) }],
}));
await server.connect(new StdioServerTransport());
