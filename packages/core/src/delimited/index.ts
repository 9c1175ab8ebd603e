export { createDelimitedScanner } from "./delimited-scanner.ts";
export {
  columnNames,
  type Delimiter,
  detectDelimiter,
  offsetOfRows,
  readDelimited,
  readDelimitedRow,
} from "./read-delimited.ts";
