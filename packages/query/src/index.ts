export {
  compilePlan,
  type CompiledPlan,
  type CompilePlanOptions,
  type PlanContext,
} from "./compile/compile-plan.ts";
export { planDetails, type PlanDetailsOptions } from "./compile/plan-details.ts";
export { batchBytes, type ColumnBatch, type PlanValue } from "./connector/column-batch.ts";
export type {
  Connector,
  EngineInput,
  EngineWork,
  PlanFragment,
  QueryEngine,
  RunOptions,
} from "./connector/connector.ts";
export { createMemoryConnector, type MemoryRows } from "./connector/create-memory-connector.ts";
export type { Connectors } from "./connector/find-connector.ts";
export { executePlan, type ExecutePlanOptions } from "./execute/execute-plan.ts";
export type { ExecutionLimits, TrafficLimits } from "./execute/execution-limits.ts";
export type {
  PlanRow,
  QueryResult,
  QueryStatistics,
  SourceStatistics,
} from "./execute/query-result.ts";
export {
  explainPlan,
  type ExplainedSource,
  type ExplainedStep,
  type ExplainOptions,
  type PlanExplanation,
} from "./explain/explain-plan.ts";
export {
  fileConnector,
  type FileConnectorOptions,
  type FileContent,
  type FileFormat,
} from "./file/file-connector.ts";
export { httpConnector } from "./http/http-connector.ts";
export type {
  HttpConnectorOptions,
  HttpFetch,
  HttpPaging,
  HttpResource,
} from "./http/http-options.ts";
export type { PlanParseIssueCode } from "./parse/parse-issue.ts";
export { parseLogicalPlan, type ParsePlanOptions } from "./parse/parse-logical-plan.ts";
export type { PlanLimits } from "./parse/plan-limits.ts";
export type { PhysicalPlan, PlacedFragment } from "./physical/physical-plan.ts";
export { typeName, type DataKind, type DataType, type DecimalType } from "./plan/data-type.ts";
export type {
  AggregateFunction,
  CallExpression,
  CaseExpression,
  CastExpression,
  ColumnExpression,
  Expression,
  InExpression,
  LiteralExpression,
  NamedAggregate,
  NamedExpression,
} from "./plan/expression.ts";
export type { FunctionName } from "./plan/functions.ts";
export type {
  AggregateStep,
  DistinctStep,
  FilterStep,
  JoinKind,
  JoinStep,
  LimitStep,
  LogicalPlan,
  PlanOperation,
  PlanStep,
  ProjectStep,
  ScanStep,
  SortKey,
  SortStep,
  UnionStep,
} from "./plan/logical-plan.ts";
export type {
  PlanColumn,
  TypedAggregate,
  TypedAggregateStep,
  TypedCall,
  TypedCase,
  TypedCast,
  TypedColumn,
  TypedDistinct,
  TypedExpression,
  TypedFilter,
  TypedIn,
  TypedJoin,
  TypedLimit,
  TypedLiteral,
  TypedProject,
  TypedScan,
  TypedSort,
  TypedStep,
  TypedUnion,
  TypedValue,
  ValidLogicalPlan,
} from "./plan/typed-plan.ts";
export { QueryError, type QueryErrorCode } from "./query-error.ts";
export { renderExpression } from "./render/render-expression.ts";
export { renderLogicalPlan } from "./render/render-logical-plan.ts";
export { expressionSchema, logicalPlanSchema } from "./schema/logical-plan-schema.ts";
export { skillConnector, type SkillConnectorOptions } from "./skill/skill-connector.ts";
export { irSnippetLinter } from "./snippet/ir-snippet-linter.ts";
export { planToSnippet, type SnippetEngine } from "./snippet/plan-to-snippet.ts";
export { sqlConnector, type SqlConnectorOptions } from "./sql/sql-connector.ts";
export type { PlanIssueCode } from "./validate/plan-issue.ts";
export type { ConditionOperator } from "./connector/simple-condition.ts";
export {
  projectResult,
  type ViewField,
  type ViewGroup,
  type ViewRow,
  type ViewSchema,
  type ViewValue,
} from "./view/project-result.ts";
export {
  validateLogicalPlan,
  type ValidateOptions,
  type ValidationLimits,
} from "./validate/validate-logical-plan.ts";
export type {
  AccessOptions,
  AccessRequest,
  QueryAccess,
  QueryPrincipal,
} from "./validate/visible-resources.ts";
