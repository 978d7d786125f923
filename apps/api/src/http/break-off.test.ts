import { connect } from 'node:net'
import express, { type NextFunction, type Response } from 'express'
import { expect, test } from 'vitest'
import { listen, type RunningServer } from '../server.ts'
import { breakOff } from './break-off.ts'
import { READER_LIMITS } from './slow-readers.ts'

interface Reply {
  readonly response: Response
  readonly next: NextFunction
  readonly server: RunningServer
  /** What the client sends. */
  readonly send: (text: string) => void
}

/** How a client of HTTP/1.0 that got the beginning of a reply sees its end. */
async function endOver10(
  onBeginning: (reply: Reply) => void,
  { beginning = 'a row\n', stalledMs = READER_LIMITS.stalledMs, reads = true } = {},
): Promise<string> {
  let reply: Pick<Reply, 'response' | 'next'> | undefined
  const app = express().get('/', (_request, response, next) => {
    reply = { response, next }
    response.write(beginning)
  })
  const readers = { ...READER_LIMITS, stalledMs }
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, { readers })
  let isBegun = false
  const onRead = (): boolean => {
    if (isBegun) return true
    isBegun = true
    reply!.response.once('close', () => socket.resume())
    onBeginning({ ...reply!, server, send: (text) => void socket.write(text) })
    return reads
  }
  // A byte at a time: Node.js takes a reset for an orderly end if it comes with less than was asked for.
  const onread = { buffer: Buffer.alloc(1), callback: onRead }
  const socket = connect({ port: server.port, host: '127.0.0.1', onread })
  socket.once('connect', () => socket.write('GET / HTTP/1.0\r\n\r\n'))
  try {
    return await new Promise((resolve) => {
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code!))
      socket.once('end', () => resolve('in order'))
    })
  } finally {
    socket.destroy()
    await server.close(0)
  }
}

test('a reply over HTTP/1.0 that is broken off does not end as a whole one does', async () => {
  expect(await endOver10(({ response }) => void response.end())).toBe('in order')
  expect(await endOver10(({ response }) => breakOff(response))).toBe('ECONNRESET')
})

test('nor does one that fails where no handler of errors is', async () => {
  expect(await endOver10(({ next }) => next(new Error('fails')))).toBe('ECONNRESET')
})

test('nor does one during which the client sends what is no request', async () => {
  const nonsense = ({ send }: Reply) => send('what?\r\n\r\n')
  expect(await endOver10(nonsense)).toBe('ECONNRESET')
})

test('nor does one that a shutdown cuts', async () => {
  expect(await endOver10(({ server }) => void server.close(0))).toBe('ECONNRESET')
})

test('nor does one whose client is too slow', async () => {
  const large = { beginning: 'a row\n'.repeat(4_000_000), stalledMs: 100, reads: false }
  expect(await endOver10(() => {}, large)).toBe('ECONNRESET')
})
