export type { S3Fault } from "./s3-fault.ts";
export { startS3TestServer, type S3TestServer } from "./start-s3-test-server.ts";
