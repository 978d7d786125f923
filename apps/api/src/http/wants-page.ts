import type { NextFunction, Request } from 'express'
import { HttpError } from './errors.ts'

/** Whether the client is a browser that shows a document. Programs ask for JSON, or for anything. */
export const wantsPage = (request: Request): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '') &&
  !/^\/api(\/|$)/i.test(request.baseUrl + request.path)

/**
 * Answers a request that is refused early with an error page if a browser shows it, and returns false if the
 * client is a program.
 */
export function refuseWithPage(
  request: Request,
  next: NextFunction,
  refusal: { readonly status: number; readonly message: string; readonly retryAfter?: number | undefined },
): boolean {
  if (!wantsPage(request)) return false
  const { status, message, retryAfter } = refusal
  next(new HttpError(status, message, retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }))
  return true
}
