export {
  type ReceivedCall,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from "./start-test-server.ts";
export type { TestAnswer, TestBehaviour, TestDialect, TestError } from "./test-behaviour.ts";
