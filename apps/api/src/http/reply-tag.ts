import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/** Headers that replies depend on, beside `Accept`. */
const HEADERS = ['X-No-Address-Book', 'X-No-Metadata', 'X-Actions-Version']

/** What a reply depends on, beside its URL and these headers. */
export interface ReplyOf {
  readonly request: Request
  readonly response: Response
  /** Of what is indexed and of the server. */
  readonly tag: string
  /** As negotiated; undefined: JSON. */
  readonly format: string | undefined
}

/** Sets `ETag`. True if the client has the reply already, which status 304 says. */
export function isFresh({ request, response, tag, format }: ReplyOf): boolean {
  const etag = `W/"${tag}${variantOf(request, format)}"`
  response.setHeader('ETag', etag)
  response.setHeader('Vary', ['Accept', ...HEADERS].join(', '))
  response.setHeader('Cache-Control', 'no-cache')
  const known = request.headers['if-none-match']?.split(',').map(opaqueTag) ?? []
  if (!known.includes(opaqueTag(etag))) return false
  response.status(304).end()
  return true
}

/**
 * Replies to one URL have different tags where a header makes them different. A browser that has one of them
 * asks for the other with the tag of the one that it has, and takes 304 for leave to show that one.
 */
function variantOf(request: Request, format: string | undefined): string {
  const values = [format, ...HEADERS.map((name) => request.get(name))]
  if (values.every((value) => value === undefined)) return ''
  return `-${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 12)}`
}

/** Without `W/`, because RFC 9110, 13.1.2 requires weak comparison. */
const opaqueTag = (etag: string): string => etag.trim().replace(/^W\//, '')
