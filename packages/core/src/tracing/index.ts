export type {
  ContextPart,
  ContextRecord,
  ContextRecorder,
  PartContent,
  PartKind,
} from "./context-record.ts";
export {
  continueTrace,
  currentTrace,
  traced,
  type TraceAttributes,
  type TraceSpan,
} from "./traced.ts";
