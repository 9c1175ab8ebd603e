export { countOperators, maxOperators } from "./count-operators.ts";
export { loadSqlParser, type SqlParser } from "./load-sql-parser.ts";
export { isAbsent, listOf, nodeOf, type SyntaxNode, variantOf } from "./syntax-node.ts";
