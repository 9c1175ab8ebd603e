export { McpError, type McpErrorCode } from "./mcp-error.ts";
export { connectMcpServer, type ConnectMcpServerOptions } from "./proxy/connect-mcp-server.ts";
export { type McpProxy, type McpProxyOptions, openMcpProxy } from "./proxy/open-mcp-proxy.ts";
export type { McpProxyStatistics } from "./proxy/proxy-state.ts";
export {
  type McpAddressConfig,
  type McpProcessConfig,
  type McpServerConfig,
  readMcpServers,
} from "./proxy/server-config.ts";
export { openMcpHttp, type McpHttp, type McpHttpOptions } from "./serve/open-mcp-http.ts";
export { openMcpStdio, type McpStdio } from "./serve/open-mcp-stdio.ts";
export { createMcpServer } from "./server/create-mcp-server.ts";
export type { McpServerFactory, McpServerOptions } from "./server/mcp-server-options.ts";
export type { PlanSource } from "./server/plan-tools.ts";
export type { ProjectSource } from "./server/project-tools.ts";
export type { QuerySource } from "./server/run-query.ts";
export type { ServerTool, ServerToolCall, ToolAnswer } from "./server/server-tool.ts";
export type { Source } from "./server/source.ts";
