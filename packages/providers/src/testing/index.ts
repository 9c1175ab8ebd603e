export { type ReceivedCall, startTestServer, type TestServer } from "./start-test-server.ts";
export type { TestAnswer, TestBehaviour, TestDialect, TestError } from "./test-behaviour.ts";
