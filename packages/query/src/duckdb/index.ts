export { openDuckDbEngine, type DuckDbEngineOptions } from "./open-duckdb-engine.ts";
export {
  openParquetConnector,
  type ParquetConnector,
  type ParquetConnectorOptions,
} from "./open-parquet-connector.ts";
