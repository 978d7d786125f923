import { getEventListeners } from 'node:events'
import type { BlockSource } from '@shardwalk/pipeline'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FallbackSource, Recording, RecordingSource } from './index.ts'

let recording: Recording
let good: RecordingSource
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  good = new RecordingSource(recording)
})
afterAll(() => recording.close())

const fail = () => Promise.reject(new Error('broken'))
const BROKEN: BlockSource = {
  name: 'broken',
  zerostateId: () => good.zerostateId(),
  head: fail,
  waitForMasterchain: fail,
  masterchainBlockId: fail,
  getBlock: fail,
  globalVersionAtKeyBlock: fail,
  getZerostate: fail,
  close: async () => {},
}
/** Answers nothing until it is aborted. */
const SILENT: BlockSource = {
  ...BROKEN,
  getBlock: (_id, options) =>
    new Promise((_, reject) => {
      options?.signal?.addEventListener('abort', () => reject(options.signal!.reason as Error))
    }),
}

test('what one source refuses comes from the other, whichever that is', async () => {
  for (const source of [new FallbackSource(BROKEN, good), new FallbackSource(good, BROKEN)]) {
    const id = await source.masterchainBlockId(7)
    expect(id.seqno).toBe(7)
    expect(await source.getBlock(id)).toEqual(await good.getBlock(id))
    expect(await source.head()).toEqual(await good.head())
    expect(await source.waitForMasterchain(9, { timeoutMs: 10_000 })).toMatchObject({ seqno: 9 })
    const zerostate = await good.zerostateId()
    expect(await source.globalVersionAtKeyBlock(zerostate)).toBe(
      await good.globalVersionAtKeyBlock(zerostate),
    )
  }
})

test('who had a new block first is reported', async () => {
  const first: string[] = []
  const never: BlockSource = { ...BROKEN, waitForMasterchain: () => new Promise(() => {}) }
  const note = (name: string) => first.push(name)
  for (const source of [new FallbackSource(good, never, note), new FallbackSource(BROKEN, good, note)])
    await source.waitForMasterchain(9, { timeoutMs: 1_000 })
  expect(first).toEqual([good.name, good.name])
})

test('a source that is silent is not waited for at the head', async () => {
  const source = new FallbackSource(SILENT, good)
  const id = await good.masterchainBlockId(7)
  expect(await source.getBlock(id, { urgent: true })).toEqual(await good.getBlock(id))
})

test('one that was late is not waited for again, except once in a while, until it answers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const id = await good.masterchainBlockId(7)
    let isSilent = true
    const first: BlockSource = {
      ...SILENT,
      getBlock: (...asked) => (isSilent ? SILENT : good).getBlock(...asked),
    }
    const source = new FallbackSource(first, good)
    /** Milliseconds until there is a block. */
    const waited = async () => {
      const start = performance.now()
      let end: number | undefined
      const asked = source.getBlock(id).then(() => {
        end = performance.now()
      })
      for (let turn = 0; turn < 20 && end === undefined; turn++) {
        await new Promise((resolve) => setImmediate(resolve))
        await vi.advanceTimersByTimeAsync(end === undefined ? 500 : 0)
      }
      await asked
      return end! - start
    }
    expect(await waited()).toBeGreaterThanOrEqual(8_000)
    for (let i = 0; i < 3; i++) expect(await waited()).toBeLessThanOrEqual(1_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await waited()).toBeGreaterThanOrEqual(8_000)
    await vi.advanceTimersByTimeAsync(60_000)
    isSilent = false
    expect(await waited()).toBeLessThanOrEqual(1_000)
    isSilent = true
    expect(await waited()).toBeGreaterThanOrEqual(8_000)
  } finally {
    vi.useRealTimers()
  }
})

test('without an answer of either the error is thrown, and an abort ends the question', async () => {
  const source = new FallbackSource(BROKEN, BROKEN)
  await expect(source.head()).rejects.toThrow('broken')
  await expect(source.waitForMasterchain(1, { timeoutMs: 10 })).rejects.toThrow('broken')
  const stopping = new AbortController()
  const asked = new FallbackSource(SILENT, SILENT).getBlock(await good.head(), { signal: stopping.signal })
  stopping.abort(new Error('stopped'))
  await expect(asked).rejects.toThrow('stopped')
})

test('an abort ends questions and waits; a signal keeps nothing of those that were answered', async () => {
  const combined = vi.spyOn(AbortSignal, 'any')
  const controller = new AbortController()
  const { signal } = controller
  const id = await good.masterchainBlockId(7)
  const source = new FallbackSource(good, SILENT)
  for (let asked = 0; asked < 3; asked++) {
    await source.getBlock(id, { signal })
    await source.waitForMasterchain(9, { timeoutMs: 1_000, signal })
  }
  expect(combined).not.toHaveBeenCalled()
  combined.mockRestore()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  const endless = new FallbackSource(SILENT, SILENT)
  const [asked, waited] = [
    expect(endless.getBlock(id, { signal })).rejects.toThrow('stop'),
    expect(endless.waitForMasterchain(9, { timeoutMs: 1_000, signal })).rejects.toThrow('stop'),
  ]
  controller.abort(new Error('stop'))
  await Promise.all([asked, waited])
})
