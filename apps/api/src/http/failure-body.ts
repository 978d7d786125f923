import { failureText } from '../v2/envelope.ts'
import { errorBody } from './errors.ts'

/**
 * The reply to a request that failed before its handler was reached, in the form of the API that was called.
 */
export const failureBody = (path: string, failure: { message: string; status: number }): string =>
  /^\/api\/v2(\/|$)/i.test(path) ? failureText(failure.status, failure.message) : errorBody(failure)
