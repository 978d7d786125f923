import { type Agent, request } from 'node:http'

export interface Sent {
  readonly verb: string
  /** With its query. */
  readonly path: string
  readonly body?: string | Buffer | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export type Send = (asked: Sent) => Promise<number>

const DEADLINE_MS = 30_000

/** Resolves to the status once the reply was read; rejects when there is none within 30 s. */
export const sender = (url: string, agent: Agent): Send => {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/[[\]]/g, '')
  return ({ verb, path, body, headers = {} }) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host, port, path, method: verb, headers, agent }, (reply) => {
        reply
          .resume()
          .on('end', () => {
            clearTimeout(timer)
            resolve(reply.statusCode!)
          })
          .on('error', reject)
      })
      const timer = setTimeout(() => outgoing.destroy(new Error('no answer')), DEADLINE_MS)
      outgoing.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      outgoing.end(body)
    })
}
