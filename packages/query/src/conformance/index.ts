export { connectorConformance, type ConnectorConformanceOptions } from "./connector-conformance.ts";
export { expectations, type Expectation } from "./expectations.ts";
export { sampleAddress, sampleResources } from "./sample-source.ts";
