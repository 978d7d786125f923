import { parseQueryString } from '@shardwalk/api-schema'
import { hasNoConnection } from '@shardwalk/db'
import type { Request, RequestHandler, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { queryString } from '../http/query-string.ts'
import { readRequestSettings } from '../http/request-settings.ts'
import type { ApiServices } from '../services.ts'
import { chosenReplica, keepReplica } from './chosen-replica.ts'
import { BehindBlock, type Choice } from './replica-set.ts'

/** Query parameter: masterchain block that the reply must take into account. */
const LEAST = 'min_mc_seqno'
const HEADER = 'X-Indexed-Mc-Seqno'

/**
 * Chooses the database that answers a request of API v3, and names the newest indexed masterchain block in
 * every reply, errors included. Throws `HttpError` 422 for a wrong `min_mc_seqno`, and 503 when no replica
 * has that block in time.
 */
export function chooseReplica({ replicas }: ApiServices): RequestHandler {
  return async (request, response, next) => {
    const least = leastSeqno(request)
    try {
      const choice = least === undefined ? {} : { least, ...patience(request, response) }
      keepReplica(response, await replicas.choose(choice), least !== undefined)
    } catch (error) {
      if (error instanceof BehindBlock) throw behind(response, error)
      // Without a database the route reports the error, unless it needs none.
      keepReplica(response, replicas.current(), false)
    }
    await nameHead(response)
    next()
  }
}

/**
 * Runs `answer` again with another replica if the chosen one went away before anything was sent. Throws its
 * errors.
 */
export async function orElsewhere(
  response: Response,
  { replicas }: ApiServices,
  answer: () => Promise<void>,
): Promise<void> {
  for (let left = replicas.size - 1; ; left--)
    try {
      return await answer()
    } catch (error) {
      const chosen = chosenReplica(response)
      if (!chosen || left <= 0 || response.headersSent || !hasNoConnection(error)) throw error
      replicas.suspect(chosen.replica)
      const least = chosen.isStrict ? Number(response.getHeader(HEADER) ?? 0) : undefined
      const other = await replicas.choose({ least }).catch((reason: unknown) => {
        throw reason instanceof BehindBlock ? behind(response, reason) : error
      })
      keepReplica(response, other, chosen.isStrict)
      await nameHead(response)
    }
}

/**
 * After the rows were read, for clients that pass on what the header says: the rows may be newer than the
 * head was before.
 */
export async function nameHeadAgain(response: Response): Promise<void> {
  const chosen = chosenReplica(response)
  if (!chosen?.isStrict) return
  const { range } = await chosen.replica.head.readNow()
  if (range) response.setHeader(HEADER, range.to)
}

/** Routes find the head in `locals.head`. */
async function nameHead(response: Response): Promise<void> {
  const reading = chosenReplica(response)!.replica.head.read()
  response.locals['head'] = reading
  const range = await reading.then((state) => state.range).catch(() => undefined)
  if (range) response.setHeader(HEADER, range.to)
}

function behind(response: Response, { message, newest }: BehindBlock): HttpError {
  if (newest > 0) response.setHeader(HEADER, newest)
  return new HttpError(503, `${message}; try again`, { 'Retry-After': '1' })
}

/** As long as the client would wait for a statement, and only while it does. */
function patience(request: Request, response: Response): Omit<Choice, 'least'> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { timeoutMs } = readRequestSettings(request, parseQueryString(queryString(request)))
  return { signal: gone.signal, ...(timeoutMs !== undefined && { timeoutMs }) }
}

function leastSeqno(request: Request): number | undefined {
  if (!request.originalUrl.includes(LEAST)) return undefined
  const given = parseQueryString(queryString(request)).get(LEAST)?.at(-1)
  if (given === undefined) return undefined
  if (/^\d{1,10}$/.test(given)) return Number(given)
  throw new HttpError(
    422,
    `wrong value for parameter "${LEAST}": expected a masterchain seqno, as in ${HEADER} of an earlier reply`,
  )
}
