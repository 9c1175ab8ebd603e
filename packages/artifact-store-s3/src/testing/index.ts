export type { S3Fault, S3FaultAction, S3FaultMatch } from "./s3-fault.ts";
export type { S3Operation } from "./s3-request.ts";
export {
  startS3TestServer,
  type S3RequestEntry,
  type S3TestClientConfig,
  type S3TestServer,
  type S3TestServerOptions,
} from "./start-s3-test-server.ts";
