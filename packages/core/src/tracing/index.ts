export {
  continueTrace,
  currentTrace,
  traced,
  type TraceAttributes,
  type TraceSpan,
} from "./traced.ts";
