import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDb } from '@shardwalk/db'
import { type ScratchDatabase, sampleChainDatabase, scratchDatabase } from '@shardwalk/testkit'
import type { RequestHandler } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refuseWithPage } from '../../src/http/wants-page.ts'
import { Client } from '../client.ts'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  client = await Client.start(scratch, {
    pages: { detail: 'full', network: '/data/sample_replay.config.json' },
  })
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${client.server.url}${path}`, { headers, redirect: 'manual' })

describe('status', () => {
  test('the page, its document and masterchainInfo name the same newest block', async () => {
    const info = await client.get<{ last: { seqno: number } }>('masterchainInfo')
    const status = await client.get<{ newest: { seqno: number }; network: string }>('/status.json')
    expect(status.body.newest.seqno).toBe(info.body.last.seqno)
    expect(status.body.network).toBe('sample')
    const html = await (await ask('/')).text()
    expect(html).toContain(`data-live="newest">${info.body.last.seqno}<`)
  })

  test('policy: nothing inline, nothing from elsewhere; other sites may not read the page', async () => {
    const page = await ask('/', { Origin: 'https://elsewhere.example' })
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    )
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const html = await page.text()
    expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=|(src|href)="(https?:)?\/\//)
    for (const [, path] of html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)) {
      const file = await ask(path!)
      expect([file.status, file.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    expect((await ask('/assets/site.css')).status).toBe(404)
  })

  test('a stream begins with the status and repeats that it lives', async () => {
    // Of a server that does nothing else: numbers of requests are changes.
    const idle = await Client.start(scratch, { pages: { detail: 'full', network: 'sample' } })
    const reply = await fetch(`${idle.server.url}/status/events`, { signal: AbortSignal.timeout(60_000) })
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    let text = ''
    for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (text.includes('event: alive')) break
    }
    expect(JSON.parse(/data: (\{.*\})\n/.exec(text)![1]!)).toMatchObject({ verdict: expect.anything() })
    await idle.close()
  })

  test('free space and growth of the data folder, and how long that lasts', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'shardwalk-status-'))
    await mkdir(join(dataDir, 'postgres'))
    await scratch.pool.query('analyze transactions')
    const pages = { detail: 'full', network: 'sample', dataDir } as const
    const full = await Client.start(scratch, { pages })
    const { disk } = (await full.get<{ disk: Record<string, number> }>('/status.json')).body
    expect(disk['bytes_per_day']).toBeGreaterThan(1e8)
    expect(disk['days_left']).toBeCloseTo(disk['free_bytes']! / disk['bytes_per_day']!, 5)
    const html = await (await fetch(full.server.url)).text()
    expect(html).toMatch(/data-live="disk">[^<]* free, grows by [^<]* a day: full in/)
    await full.close()
    await rm(dataDir, { recursive: true })
  })

  test('public detail: neither servers nor sizes', async () => {
    const open = await Client.start(scratch, { pages: { detail: 'public', network: 'sample' } })
    const { body } = await open.get('/status.json')
    expect(body).toMatchObject({ servers: null, database: null, disk: null })
    const html = await (await fetch(open.server.url)).text()
    expect(html).not.toContain('Lite servers')
    await open.close()
  })

  test('without a database the page says so', async () => {
    const lost = await scratchDatabase()
    const other = await Client.start(lost, { pages: { detail: 'full', network: 'sample' } })
    await lost.close()
    const page = await fetch(other.server.url)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Database unreachable')
    await other.close()
  })

  test('without a database other pages are errors, which say when to try again', async () => {
    const away = createDb({ url: 'postgres://nobody@127.0.0.1:9/nothing', max: 1 })
    const other = await Client.start(away, { pages: { detail: 'full', network: 'sample' } })
    const blocks = await fetch(`${other.server.url}/blocks`, { headers: BROWSER })
    expect([blocks.status, blocks.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await blocks.text()).toMatch(/Not available right now.*Try again in 1 second/s)
    await other.close()
    await away.close()
  })
})

describe('errors', () => {
  test('browsers get a page, programs JSON', async () => {
    const page = await ask('/nothing/here', BROWSER)
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('Not found')
    const json = await ask('/nothing/here')
    expect([json.status, json.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    expect(await json.json()).toMatchObject({ code: 404 })
  })

  test('too many requests, and what cannot be read: a page with a search box and what to do', async () => {
    const access: RequestHandler = (request, response, next) => {
      const refusal = { status: 429, message: 'Ratelimit exceeded', retryAfter: 3 }
      if (!refuseWithPage(request, next, refusal)) response.status(429).json({ code: 429 })
    }
    const limited = await Client.start(scratch, { pages: { detail: 'full', network: 'sample' }, access })
    const page = await fetch(`${limited.server.url}/blocks`, { headers: BROWSER })
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '3'])
    expect(await page.text()).toMatch(/Too many requests.*Try again in 3 seconds/s)
    expect(await (await fetch(`${limited.server.url}/blocks`)).json()).toEqual({ code: 429 })
    // The status is always there.
    expect((await fetch(limited.server.url, { headers: BROWSER })).status).toBe(200)
    await limited.close()
    for (const path of ['/address/nonsense', '/tx/nonsense', '/block/0/nonsense/1', '/search?q=']) {
      const reply = await ask(path, BROWSER)
      const html = await reply.text()
      expect([path, reply.status]).toEqual([path, 422])
      expect(html).toMatch(/This could not be read.*accepted:/is)
      expect(html).toContain('data-search')
    }
  })

  test('a program that asks a page for JSON learns where to find it', async () => {
    const reply = await ask('/blocks', { Accept: 'application/json' })
    expect([reply.status, await reply.json()]).toMatchObject([
      406,
      { error: expect.stringContaining('/api/v3/blocks') },
    ])
  })

  test('the interface answers JSON, whoever asks', async () => {
    const reply = await ask('/api/v3/transactions?limit=0', BROWSER)
    expect([reply.status, await reply.json()]).toMatchObject([422, { code: 422 }])
  })
})

test('pages are off without the option', async () => {
  const off = await Client.start(scratch)
  expect((await fetch(`${off.server.url}/status.json`)).status).toBe(404)
  await off.close()
})
