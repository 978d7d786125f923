import { MESSAGE_KIND } from '@shardwalk/model'
import { AccountCache } from '@shardwalk/queries'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadIndexedPart, unreceived } from '../src/indexed-part.ts'
import { rootOfSent } from '../src/message-cells.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await sampleChainDatabase()
})
afterAll(() => scratch?.close())

const INTERNAL = MESSAGE_KIND.indexOf('internal')

test('the cell of every internal message is rebuilt from its columns', async () => {
  const { rows } = await scratch.pool.query(
    'select trace_id from traces where nodes between 2 and 256 order by trace_id limit 400',
  )
  const accounts = new AccountCache()
  const different: string[] = []
  let rebuilt = 0
  for (const { trace_id } of rows) {
    const happened = (await loadIndexedPart(scratch.db, accounts, trace_id))!
    expect(unreceived(happened)).toEqual([])
    for (const sender of happened.rows)
      for (const message of happened.parts.outMsgs(sender)) {
        if (message.kind !== INTERNAL) continue
        const root = rootOfSent({ message, sender }, happened)
        if (!root?.cell.hash().equals(message.hash)) different.push(message.hash.toString('hex'))
        rebuilt++
      }
  }
  expect(different).toEqual([])
  expect(rebuilt).toBeGreaterThan(800)
})
