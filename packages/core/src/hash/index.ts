export { randomBytes, randomHex } from "./random.ts";
export { createHmacSha256, createSha256, hmacSha256Hex, type Sha256 } from "./sha256.ts";
