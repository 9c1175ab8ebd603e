export { fromBase64, parseDataUrl, toBase64 } from "./base64.ts";
export { deepFreeze } from "./deep-freeze.ts";
export { isSameJson } from "./is-same-json.ts";
export {
  arrayAt,
  isRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
  withoutMembers,
  withoutUndefined,
  type JsonRecord,
} from "./json-record.ts";
export { jsonText } from "./json-text.ts";
export { valueAt } from "./value-at.ts";
