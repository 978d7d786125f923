import type { V3Client } from '@shardwalk/client'

const COLUMNS = ['time', 'from', 'to', 'jetton', 'amount', 'transaction'] as const

/** Jetton transfers of a period, line by line as CSV. Times in Unix seconds, both included. */
export async function* transfersAsCsv(
  client: V3Client,
  { owner, from, to }: { readonly owner: string; readonly from: number; readonly to: number },
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\n`
  const query = { owner_address: owner, start_utime: from, end_utime: to, sort: 'asc' } as const
  for await (const transfer of client.rows('jetton/transfers', query)) {
    const time = new Date(transfer.transaction_now * 1000).toISOString()
    const { source, destination, jetton_master, amount, transaction_hash } = transfer
    yield `${[time, source, destination ?? '', jetton_master, amount, transaction_hash].join(',')}\n`
  }
}
