export type { CompressionService } from "./compression-service.ts";
export { openFileDecisionStore } from "./open-file-decision-store.ts";
export { openProxy, type ProxiedRequest, type Proxy, type ProxyOptions } from "./open-proxy.ts";
export {
  type LoggedItem,
  type LoggedRequest,
  openRequestLog,
  readRequestLog,
  type RequestLog,
} from "./request-log.ts";
export { measuredSaving, type ProxyStats } from "./proxy-stats.ts";
