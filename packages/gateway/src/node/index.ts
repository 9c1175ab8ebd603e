export { findUpstream } from "./find-upstream.ts";
export { openGatewayRecords } from "./open-gateway-records.ts";
export { openProxy, type Proxy } from "./open-proxy.ts";
export { type ProxyStats, summaryText } from "./proxy-stats.ts";
