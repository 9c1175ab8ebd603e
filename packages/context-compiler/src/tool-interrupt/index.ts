export {
  createToolInterruptHandler,
  type ToolInterruptHandler,
} from "./create-tool-interrupt-handler.ts";
export { functionToolBridge } from "./function-tool-bridge.ts";
export { mcpToolBridge, type McpClient } from "./mcp-tool-bridge.ts";
export type { BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";
export type { ToolEvent } from "./tool-event.ts";
