export { createHttpApplication, type HttpApplicationOptions } from './application';
export { HttpDrain } from './drain';
export { ERROR_CATALOGUE, type ErrorCode } from './errors/catalogue';
export { ApiModule, OperationsModule } from './http.modules';
export { signedText, type SignedRequest } from './authentication/signature';
