export { operationProfileSchema } from "./operation-profile-schema.ts";
export { validateProfile, type ValidateProfileOptions } from "./validate-profile.ts";
