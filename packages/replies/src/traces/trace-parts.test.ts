import { packDetails } from '@shardwalk/db'
import type { ActionRow } from '@shardwalk/queries'
import { expect, test } from 'vitest'
import type { RenderContext } from '../render-context.ts'
import { renderActionParts } from './trace-parts.ts'

const [FROM, TO] = ['A', 'B'].map((digit) => `0:${digit.repeat(64)}`) as [string, string]
const HASH = Buffer.alloc(32, 1)

test('comments that look like addresses do not keep the address book from subscribers', async () => {
  const accounts = [FROM, TO]
  const commentOf = async (comment: string) => {
    const details = {
      ...{ source: FROM, destination: TO, value: 1n },
      ton_transfer_data: { content: comment, encrypted: false },
    }
    const row = {
      ...{ type: 'ton_transfer', ancestor_type: [], account_ids: [0n, 1n], tx_hashes: [HASH], success: true },
      ...{ trace_id: HASH, action_id: HASH, start_lt: 1n, end_lt: 1n, trace_end_lt: 1n },
      details: JSON.parse(packDetails(details, accounts)),
    } as unknown as ActionRow
    const context = { testOnly: false, marketplaces: new Map() } as unknown as RenderContext
    const [part] = await renderActionParts(context, [row], (id) => accounts[Number(id)]!)
    expect(part!.reply).toContain(`"comment":"${comment}"`)
    return part!.listed
  }
  const hash = 'F'.repeat(64)
  expect(await commentOf(`99999999999:${hash}`)).toEqual([FROM, TO])
  expect(await commentOf(`-0:${hash}`)).toEqual([FROM, TO, `0:${hash}`])
})
