import type { V3Client } from '@shardwalk/client'

export interface Payment {
  readonly hash: string
  readonly lt: string
  readonly from: string
  readonly amount: bigint
}

/**
 * Payments to an account after a given lt, oldest first. A program that stores the lt of the last one
 * together with its booking misses none and books none twice, however often it restarts.
 */
export async function* incomingPayments(
  client: V3Client,
  { account, afterLt }: { readonly account: string; readonly afterLt: bigint },
): AsyncGenerator<Payment> {
  const query = { account, start_lt: afterLt + 1n, sort: 'asc' } as const
  for await (const { hash, lt, in_msg, description } of client.rows('transactions', query)) {
    // Bounced messages return what was sent, and what this account bounced it did not keep. What an aborted
    // transaction brought it did: every payment to an account without code is one.
    if (!in_msg?.source || in_msg.bounced || description.bounce?.type === 'ok') continue
    yield { hash, lt, from: in_msg.source, amount: BigInt(in_msg.value ?? 0) }
  }
}
