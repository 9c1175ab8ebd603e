export { connectorConformance, type ConnectorConformanceOptions } from "./connector-conformance.ts";
export { sampleAddress, sampleResources } from "./sample-source.ts";
