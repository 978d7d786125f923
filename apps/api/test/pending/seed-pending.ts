import { Builder, serializeBoc } from '@shardwalk/cells'
import { admitPending } from '@shardwalk/db'
import { openChain, walletMessage } from '@shardwalk/emulation'
import { createNodeAccess } from '@shardwalk/node-access'
import { silentLogger } from '@shardwalk/observability'
import { PendingKeeper, readSentMessage } from '@shardwalk/pending'
import { AccountCache, pendingByHashes, readIndexedHead } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { waitFor } from '@shardwalk/testkit'
import type { RunningApi } from '../v2/running-api.ts'

/** A wallet v4 of the sample and who gets its transfer. */
const FROM = Buffer.from('8D45B59C3C3AA082746777093179B3194C73F5BE118BB99761E4BA189A79C53E', 'hex')
const TO = Buffer.from('0AEF06C8322F26CD6582C7D0491927EC27BA37E8B9EE6A1918CAD24DF559A41E', 'hex')

/**
 * A transfer that will never happen, because its signature is wrong, but is pending as if it could. Resolves
 * to the normalised hash of its message.
 */
export async function seedPending(scratch: ScratchDatabase, api: RunningApi): Promise<Buffer> {
  const { db } = scratch
  const indexedSeqno = async () => (await readIndexedHead(db)).range?.to
  const node = createNodeAccess({ ...api, db, indexedSeqno })
  const chain = await openChain(node, {})
  const from = { workchain: 0, hash: FROM }
  const body = new Builder().storeUint(0, 32).storeBytes(Buffer.from('hello')).endCell()
  const payment = { address: { workchain: 0, hash: TO }, bounce: false, amount: 100_000_000n, payload: body }
  const cell = walletMessage(await chain.account(from), { from, messages: [payment] }, chain.utime)
  const message = readSentMessage(serializeBoc(cell))
  await admitPending(db, message)
  const stop = new AbortController()
  const keeper = new PendingKeeper({
    ...{ db, accounts: new AccountCache(), node: () => node, log: silentLogger },
    ...{ signal: stop.signal, ignoresSignatures: true, deadlineMs: 60_000 },
  })
  const running = keeper.run()
  try {
    await waitFor('a pending trace', async () => (await pendingByHashes(db, [message.hashNorm])).length > 0)
  } finally {
    stop.abort()
    await running
  }
  return message.hashNorm
}
