export { planMessages } from "./compile/plan-prompt.ts";
export { planDetails } from "./compile/plan-details.ts";
export { planSchema, type PlanSchemaOptions } from "./compile/plan-schema.ts";
export type { ColumnBatch, PlanValue } from "./connector/column-batch.ts";
export type { Connector, QueryEngine, RunOptions, TableScan } from "./connector/connector.ts";
export { createMemoryConnector } from "./connector/create-memory-connector.ts";
export type { Connectors } from "./connector/find-connector.ts";
export { executePlan, type ExecutePlanOptions } from "./execute/execute-plan.ts";
export type { PlanRow, QueryResult } from "./execute/query-result.ts";
export { explainPlan, type ExplainOptions } from "./explain/explain-plan.ts";
export { fileConnector, type FileConnectorOptions } from "./file/file-connector.ts";
export { httpConnector } from "./http/http-connector.ts";
export type { HttpConnectorOptions } from "./http/http-options.ts";
export { parseLogicalPlan } from "./parse/parse-logical-plan.ts";
export type { Expression } from "./plan/expression.ts";
export type { LogicalPlan, PlanStep } from "./plan/logical-plan.ts";
export { QueryError, type QueryErrorCode } from "./query-error.ts";
export {
  executeQuery,
  explainQuery,
  type Query,
  type QueryExplanation,
} from "./run/execute-query.ts";
export { parseSql, type ParseSqlOptions, type SqlPlan } from "./select/parse-sql.ts";
export { executeSql, runSql, type RunSqlOptions, type SqlResult } from "./select/run-sql.ts";
export { irSnippetLinter } from "./snippet/ir-snippet-linter.ts";
export { sqlConnector, type SqlConnectorOptions } from "./sql/sql-connector.ts";
