export { openFileDecisionStore } from "./open-file-decision-store.ts";
export { openProxy, type Proxy } from "./open-proxy.ts";
export { type ProxyStats, summaryText } from "./proxy-stats.ts";
