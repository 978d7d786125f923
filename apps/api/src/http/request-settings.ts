import { booleanKind, type RawQuery } from '@shardwalk/api-schema'
import type { Request } from 'express'

/** Maximum time of a statement. Milliseconds. */
export const MAX_TIMEOUT_MS = 3000

/** What a client may set per request, see docs/api-v3.md. */
export interface RequestSettings {
  /** Undefined: the limit of the connection, `MAX_TIMEOUT_MS`. */
  readonly timeoutMs: number | undefined
  readonly noAddressBook: boolean
  readonly noMetadata: boolean
  readonly debug: boolean
  /** Replaces `supported_action_types`. Header only. */
  readonly actionsVersion?: string | undefined
}

/** Reads a header, or else the query parameter of the same name in snake_case. Invalid values are ignored. */
export function readRequestSettings(request: Request, query: RawQuery): RequestSettings {
  const text = (name: string) =>
    request.get(name) ?? query.get(name.toLowerCase().replaceAll('-', '_'))?.at(-1)
  const flag = (name: string) => {
    const given = text(name)
    const parsed = given === undefined ? undefined : booleanKind.parse(given)
    return parsed !== undefined && 'value' in parsed && parsed.value
  }
  const timeout = text('X-Timeout') ?? ''
  return {
    timeoutMs: /^[1-9]\d{0,8}$/.test(timeout) ? Math.min(Number(timeout), MAX_TIMEOUT_MS) : undefined,
    noAddressBook: flag('X-No-Address-Book'),
    noMetadata: flag('X-No-Metadata'),
    debug: flag('X-Debug-Request'),
    actionsVersion: request.get('X-Actions-Version') || undefined,
  }
}
