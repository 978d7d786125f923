import { type Metrics, noMetrics, silentLogger } from '@shardwalk/observability'
import { expect, test } from 'vitest'
import { ForwardedMessages } from './forwarded-messages.ts'

test('a flood of false messages costs no more than the rate that is allowed, and is counted', async () => {
  const counts = new Map<string, number>()
  const inc = ({ result }: Readonly<Record<string, string>>) =>
    counts.set(result!, (counts.get(result!) ?? 0) + 1)
  const metrics = { ...noMetrics, counter: () => ({ inc }) } as unknown as Metrics
  let now = 0
  // Nothing of this reaches the database.
  const forwarded = new ForwardedMessages({
    db: undefined as never,
    metrics,
    log: silentLogger,
    now: () => now,
  })
  for (let i = 0; i < 5_000; i++) {
    forwarded.take(Buffer.from(`no message ${i}`))
    if (i % 4 === 0) await forwarded.close()
  }
  expect(Object.fromEntries(counts)).toEqual({ false: 100, limited: 4_900 })
  now = 1_000
  forwarded.take(Buffer.from('no message 0'))
  for (let i = 0; i < 50; i++) {
    forwarded.take(Buffer.from(`another ${i}`))
    await forwarded.close()
  }
  expect(counts.get('false')).toBe(120)
})
