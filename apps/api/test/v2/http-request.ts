import { request } from 'node:http'

/** A request as bytes, sent without correction. */
export interface RawRequest {
  readonly verb: string
  /** Including the query. */
  readonly path: string
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Sent in chunks, without a length. */
  readonly chunked?: boolean
}

export interface HttpReply {
  readonly status: number
  readonly text: string
}

/** Sends the request to the host of `base`. Rejects when there is no answer in time. */
export function httpRequest(base: string, given: RawRequest, timeoutMs: number): Promise<HttpReply> {
  const { verb, path, body, headers = {}, chunked } = given
  const { hostname, port } = new URL(base)
  const length =
    body && (chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) })
  const options = { hostname, port, method: verb, path, headers: { ...headers, ...length } }
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, signal: AbortSignal.timeout(timeoutMs) }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => resolve({ status: reply.statusCode!, text: Buffer.concat(chunks).toString() }))
      reply.on('error', reject)
    })
    outgoing.on('error', reject)
    if (body && chunked)
      for (let at = 0; at < body.length; at += 65_536) outgoing.write(body.subarray(at, at + 65_536))
    outgoing.end(chunked ? undefined : body)
  })
}
