export { McpError } from "./mcp-error.ts";
export { connectMcpServer } from "./proxy/connect-mcp-server.ts";
export {
  type McpProxy,
  type McpProxyOptions,
  openMcpProxy,
  type ServerFinding,
} from "./proxy/open-mcp-proxy.ts";
export { openToolUses, type ToolUses } from "./proxy/tool-uses.ts";
export type { McpProxyStatistics } from "./proxy/proxy-server.ts";
export { listMcpTools } from "./proxy/list-mcp-tools.ts";
export { type McpServerConfig, readMcpServers } from "./proxy/server-config.ts";
export { openMcpHttp, type McpHttp, type McpHttpOptions } from "./serve/open-mcp-http.ts";
export { openMcpStdio, type McpStdio } from "./serve/open-mcp-stdio.ts";
export { createMcpServer } from "./server/create-mcp-server.ts";
export type { McpServerFactory, McpServerOptions } from "./server/mcp-server-options.ts";
export type { QuerySource } from "./server/run-query.ts";
export type { ServerTool } from "./server/server-tool.ts";
