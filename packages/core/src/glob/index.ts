export { createPathMatcher, type PathMatcherOptions } from "./create-path-matcher.ts";
