export { fromFiles, type FromFilesOptions, type SourceFile } from "./from-files.ts";
export { fromJsonl } from "./from-jsonl.ts";
export { fromMcpTools, type FromMcpToolsOptions } from "./from-mcp-tools.ts";
export { fromOpenApi, type FromOpenApiOptions } from "./from-openapi.ts";
export { fromSqlDatabase, type FromSqlDatabaseOptions } from "./from-sql-database.ts";
export type { ResourceInput } from "../record/resource-record.ts";
export { fromTools, type FromToolsOptions, type SkillDeclaration } from "./from-tools.ts";
