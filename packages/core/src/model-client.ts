/**
 * `@holdfast/core/model-client`: what a model client over HTTP needs beside its wire format. `@holdfast/openai`
 * and `@holdfast/ai-sdk` are made of it; a client of your own can be.
 */
export { isRecord } from './json.ts'
export { type CallSignal, callSignal } from './model-client/call-signal.ts'
export { codeWord } from './model-client/code-word.ts'
export { cutStream, failedRequest } from './model-client/failed-request.ts'
export {
  type FailureDetails,
  type ModelRequestError,
  RequestFailure,
} from './model-client/model-request-error.ts'
export { isNetwork, isSetup, platformCode } from './model-client/network.ts'
export { outputsById } from './model-client/outputs-by-id.ts'
export { reportedError } from './model-client/reported-error.ts'
export { retryAfterMs } from './model-client/retry-after.ts'
export { isQuota, isRetryableStatus } from './model-client/retryable.ts'
export { type Fields, recordsOf, textOf } from './model-client/values.ts'
