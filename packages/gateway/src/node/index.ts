export type { CompressionService } from "./compression-service.ts";
export { openFileDecisionStore } from "./open-file-decision-store.ts";
export { openProxy, type Proxy, type ProxyOptions } from "./open-proxy.ts";
export type { ProxyStats } from "./proxy-stats.ts";
