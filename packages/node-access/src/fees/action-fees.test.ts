import { Builder, EMPTY_CELL } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { actionFees } from './action-fees.ts'

const SENDER = { workchain: 0, hash: Buffer.alloc(32) }
const SEND_MESSAGE = 0x0ec3c86d

test('a contract may leave anything in c5, which is refused and no fault of ours', () => {
  const config = { configAddress: Buffer.alloc(32), root: EMPTY_CELL.slice() }
  const junk = new Builder().storeRef(EMPTY_CELL)
  const cut = new Builder().storeRef(EMPTY_CELL).storeUint(SEND_MESSAGE, 32)
  for (const list of [junk, cut])
    expect(() => actionFees(config, SENDER, list.endCell())).toThrow(
      expect.objectContaining({ code: 'fees_not_estimated' }),
    )
})
