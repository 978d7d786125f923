import { listMessages, type MessageFilter, type Sort } from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const messages: Calls = async (db, { pool }) => {
  const { rows } = await pool.query(`
    select account_id as source, destination_id as destination, opcode from messages
    where kind = 0 and opcode is not null and flags & 8 = 0 limit 1`)
  const [message] = rows as [Required<Pick<MessageFilter, 'source' | 'destination' | 'opcode'>>]
  const body = await pool.query('select body_hash8 from messages where kind = 1 limit 1')
  const bodyHash = Buffer.alloc(32)
  bodyHash.writeBigInt64BE(body.rows[0].body_hash8)
  for (const sort of ['asc', 'desc'] satisfies Sort[]) {
    const page = { sort, limit: 3, offset: 0 }
    const first = await listMessages(db, {}, page)
    await listMessages(db, {}, { ...page, cursor: first.next })
    await listMessages(db, {}, { ...page, offset: 100_000 })
    await listMessages(db, message, page)
    await listMessages(db, message, { ...page, offset: 100_000 })
    await listMessages(db, { opcode: message.opcode }, { ...page, offset: 100_000 })
    for (const time of [{ from: 1 }, { to: 2_000_000_000 }]) {
      await listMessages(db, { time, side: 'in' }, page)
      await listMessages(db, { time, ...message }, page)
    }
    await listMessages(db, { externals: 'only' }, page)
    await listMessages(db, { bodyHash, side: 'out', externals: 'without' }, page)
    await listMessages(db, { bodyHash }, page)
  }
}
