import { type Agent, request } from 'node:http'

export interface Sent {
  readonly verb: string
  /** With its query. */
  readonly path: string
  readonly body?: string | Buffer | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export type Send = (asked: Sent) => Promise<number>

const SILENCE_MS = 30_000

/** Resolves to the status after the reply was read; rejects when nothing arrives for 30 s. */
export const sender = (url: string, agent: Agent): Send => {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/[[\]]/g, '')
  return ({ verb, path, body, headers = {} }) =>
    new Promise((resolve, reject) => {
      const options = { host, port, path, method: verb, headers, agent, timeout: SILENCE_MS }
      const outgoing = request(options, (reply) => {
        reply
          .resume()
          .on('end', () => resolve(reply.statusCode!))
          .on('error', reject)
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
      outgoing.on('error', reject)
      outgoing.end(body)
    })
}
