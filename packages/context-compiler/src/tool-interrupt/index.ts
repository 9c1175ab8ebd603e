export {
  createToolInterruptHandler,
  type ToolCallOptions,
  type ToolInterruptHandler,
  type ToolInterruptOptions,
} from "./create-tool-interrupt-handler.ts";
export { functionToolBridge } from "./function-tool-bridge.ts";
export { mcpToolBridge, type McpClient, type McpRequestOptions } from "./mcp-tool-bridge.ts";
export { createPerceptionAligner, type PerceptionAlignerOptions } from "./perception-aligner.ts";
export { createSchemaRegistry, type SchemaRegistry } from "./schema-registry.ts";
export type { BridgeCall, BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";
export type { ToolEvent } from "./tool-event.ts";
