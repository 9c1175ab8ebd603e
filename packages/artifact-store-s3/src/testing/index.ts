export { startS3TestServer, type S3TestServer } from "./start-s3-test-server.ts";
