export { openDuckDbEngine, type DuckDbEngineOptions } from "./open-duckdb-engine.ts";
