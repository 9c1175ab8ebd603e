export {
  type ReceivedCall,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from "./start-test-server.ts";
export type {
  TestAnswer,
  TestBehaviour,
  TestCut,
  TestDialect,
  TestError,
  TestHang,
  TestRefusal,
} from "./test-behaviour.ts";
