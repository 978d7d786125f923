import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../client.ts'
import { attack } from './attack.ts'
import { Probe } from './probe.ts'

const SEED = testSeed()

let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  client = await Client.start(scratch)
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

test('two thousand hostile requests get documented replies while other clients are served', async () => {
  const { url } = client.server
  const probe = new Probe(url)
  const report = await attack({ url, requests: 2000, concurrency: 8, seed: SEED, slowClients: 10 })
  const seen = await probe.take()
  await probe.close()
  expect(report.undocumented).toEqual([])
  expect(report.unanswered).toBe(0)
  expect(seen.failed).toBe(0)
  expect(seen.count).toBeGreaterThan(10)
  expect(report.statuses.get(200)).toBeGreaterThan(50)
})

test('only this machine can be attacked', async () => {
  const options = { url: 'http://192.0.2.1', requests: 1, concurrency: 1, seed: 1 }
  await expect(attack(options)).rejects.toThrow('192.0.2.1 is not this machine')
})
